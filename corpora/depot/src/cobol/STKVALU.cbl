       IDENTIFICATION DIVISION.
       PROGRAM-ID. STKVALU.
      *----------------------------------------------------------------
      * Month-end valuation at moving average cost.
      * The first-in-first-out layers were removed by change C-0412;
      * nothing reads LAYER-FILE any more.
      *----------------------------------------------------------------
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT STOCK-MASTER ASSIGN TO STKMAST
               ORGANIZATION IS INDEXED
               ACCESS MODE IS SEQUENTIAL
               RECORD KEY IS SM-PART-NO.
           SELECT VALUE-FILE ASSIGN TO VALUOUT.
       DATA DIVISION.
       FILE SECTION.
       FD  STOCK-MASTER.
           COPY STKMAST.
       FD  VALUE-FILE.
       01  VALUE-RECORD.
           05  VL-PART-NO              PIC X(8).
           05  VL-VALUE                PIC S9(9)V99.
       WORKING-STORAGE SECTION.
       01  WS-END-SWITCH               PIC X VALUE 'N'.
           88  END-OF-MASTER           VALUE 'Y'.
       01  WS-GRAND-TOTAL              PIC S9(11)V99 COMP-3 VALUE ZERO.
       01  WS-SLOW-DAYS                PIC 9(3) VALUE 180.
       01  WS-SLOW-RATE                PIC V99 VALUE .60.
       PROCEDURE DIVISION.
       0000-MAIN.
           OPEN INPUT STOCK-MASTER OUTPUT VALUE-FILE
           PERFORM 1000-READ-MASTER
           PERFORM 2000-VALUE-PART UNTIL END-OF-MASTER
           DISPLAY 'STKVALU TOTAL ' WS-GRAND-TOTAL
           CLOSE STOCK-MASTER VALUE-FILE
           GOBACK.
       1000-READ-MASTER.
           READ STOCK-MASTER NEXT RECORD
               AT END SET END-OF-MASTER TO TRUE
           END-READ.
       2000-VALUE-PART.
           MOVE SM-PART-NO TO VL-PART-NO
           COMPUTE VL-VALUE ROUNDED = SM-QTY-ON-HAND * SM-UNIT-COST
           IF SM-DAYS-IDLE > WS-SLOW-DAYS
               COMPUTE VL-VALUE ROUNDED = VL-VALUE * WS-SLOW-RATE
           END-IF
           ADD VL-VALUE TO WS-GRAND-TOTAL
           WRITE VALUE-RECORD
           PERFORM 1000-READ-MASTER.
