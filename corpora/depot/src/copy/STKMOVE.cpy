      * One movement of the day; the last line is the trailer.
       01  MOVE-RECORD.
           05  MV-KIND                 PIC X.
               88  MV-IS-RECEIPT       VALUE 'R'.
               88  MV-IS-ISSUE         VALUE 'I'.
               88  MV-IS-COUNT         VALUE 'C'.
               88  MV-IS-TRAILER       VALUE 'T'.
           05  MV-PART-NO              PIC X(8).
           05  MV-QTY                  PIC 9(7).
           05  MV-DATE                 PIC 9(8).
           05  MV-CLERK                PIC X(6).
           05  FILLER                  PIC X(10).
