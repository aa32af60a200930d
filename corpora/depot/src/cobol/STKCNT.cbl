       IDENTIFICATION DIVISION.
       PROGRAM-ID. STKCNT.
      *----------------------------------------------------------------
      * Prints the list for a physical count: active parts that were
      * not counted for ninety days. Not to be confused with STKCNTL.
      *----------------------------------------------------------------
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT STOCK-MASTER ASSIGN TO STKMAST
               ORGANIZATION IS INDEXED
               ACCESS MODE IS SEQUENTIAL
               RECORD KEY IS SM-PART-NO.
           SELECT COUNT-LIST ASSIGN TO CNTLIST.
       DATA DIVISION.
       FILE SECTION.
       FD  STOCK-MASTER.
           COPY STKMAST.
       FD  COUNT-LIST.
       01  COUNT-LINE                  PIC X(80).
       WORKING-STORAGE SECTION.
       01  WS-END-SWITCH               PIC X VALUE 'N'.
           88  END-OF-MASTER           VALUE 'Y'.
       01  WS-COUNT-DAYS               PIC 9(3) VALUE 90.
       01  WS-TODAY                    PIC 9(8).
       01  WS-AGE                      PIC S9(7) COMP-3.
       PROCEDURE DIVISION.
       0000-MAIN.
           ACCEPT WS-TODAY FROM DATE YYYYMMDD
           OPEN INPUT STOCK-MASTER OUTPUT COUNT-LIST
           PERFORM 1000-READ-MASTER
           PERFORM 2000-LIST-PART UNTIL END-OF-MASTER
           CLOSE STOCK-MASTER COUNT-LIST
           GOBACK.
       1000-READ-MASTER.
           READ STOCK-MASTER NEXT RECORD
               AT END SET END-OF-MASTER TO TRUE
           END-READ.
       2000-LIST-PART.
           COMPUTE WS-AGE = FUNCTION INTEGER-OF-DATE(WS-TODAY)
               - FUNCTION INTEGER-OF-DATE(SM-LAST-COUNT)
           IF SM-IS-ACTIVE AND WS-AGE > WS-COUNT-DAYS
               MOVE SM-PART-NO TO COUNT-LINE
               WRITE COUNT-LINE
           END-IF
           PERFORM 1000-READ-MASTER.
