      * Stock master, a VSAM KSDS with key SM-PART-NO.
       01  STOCK-RECORD.
           05  SM-PART-NO              PIC X(8).
           05  SM-SUPPLIER-NO          PIC X(6).
           05  SM-STATUS               PIC X.
               88  SM-IS-ACTIVE        VALUE 'A'.
               88  SM-IS-WITHDRAWN     VALUE 'W'.
           05  SM-QTY-ON-HAND          PIC S9(7) COMP-3.
           05  SM-QTY-ON-ORDER         PIC S9(7) COMP-3.
           05  SM-ISSUED-TODAY         PIC S9(7) COMP-3.
           05  SM-DAILY-USAGE          PIC S9(5) COMP-3.
           05  SM-LEAD-DAYS            PIC S9(3) COMP-3.
           05  SM-SAFETY-QTY           PIC S9(5) COMP-3.
           05  SM-PACK-SIZE            PIC S9(5) COMP-3.
           05  SM-UNIT-COST            PIC S9(5)V99 COMP-3.
           05  SM-LAST-COUNT           PIC 9(8).
           05  SM-DAYS-IDLE            PIC 9(4).
