       IDENTIFICATION DIVISION.
       PROGRAM-ID. STKPOST.
      *----------------------------------------------------------------
      * Posts the day's stock movements to the stock master.
      * A movement that cannot be posted is written to REJFILE.
      *----------------------------------------------------------------
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT STOCK-MASTER ASSIGN TO STKMAST
               ORGANIZATION IS INDEXED
               ACCESS MODE IS RANDOM
               RECORD KEY IS SM-PART-NO
               FILE STATUS IS WS-MAST-STATUS.
           SELECT MOVE-FILE ASSIGN TO STKMOVE
               FILE STATUS IS WS-MOVE-STATUS.
           SELECT REJECT-FILE ASSIGN TO REJFILE.
       DATA DIVISION.
       FILE SECTION.
       FD  STOCK-MASTER.
           COPY STKMAST.
       FD  MOVE-FILE.
           COPY STKMOVE.
       FD  REJECT-FILE.
       01  REJECT-RECORD.
           05  RJ-REASON               PIC X(3).
           05  RJ-MOVE                 PIC X(40).
       WORKING-STORAGE SECTION.
       01  WS-MAST-STATUS              PIC XX.
       01  WS-MOVE-STATUS              PIC XX.
       01  WS-REJECT-COUNT             PIC 9(5) VALUE ZERO.
       01  WS-REJECT-LIMIT             PIC 9(5) VALUE 50.
       01  WS-END-SWITCH               PIC X VALUE 'N'.
           88  END-OF-MOVES            VALUE 'Y'.
       01  WS-NEW-QTY                  PIC S9(7) COMP-3.
       PROCEDURE DIVISION.
       0000-MAIN.
           PERFORM 1000-OPEN-FILES
           PERFORM 2000-POST-MOVE UNTIL END-OF-MOVES OR MV-IS-TRAILER
           PERFORM 3000-CLOSE-FILES
           GOBACK.
       1000-OPEN-FILES.
           OPEN I-O STOCK-MASTER
                INPUT MOVE-FILE
                OUTPUT REJECT-FILE
           PERFORM 1100-READ-MOVE.
       1100-READ-MOVE.
           READ MOVE-FILE
               AT END SET END-OF-MOVES TO TRUE
           END-READ.
       2000-POST-MOVE.
           MOVE MV-PART-NO TO SM-PART-NO
           READ STOCK-MASTER
               INVALID KEY MOVE 'UNK' TO RJ-REASON
                           PERFORM 2900-REJECT-MOVE
               NOT INVALID KEY PERFORM 2050-CHOOSE-KIND
           END-READ
           PERFORM 1100-READ-MOVE.
       2050-CHOOSE-KIND.
           EVALUATE TRUE
               WHEN MV-IS-RECEIPT PERFORM 2100-POST-RECEIPT
               WHEN MV-IS-ISSUE   PERFORM 2200-POST-ISSUE
               WHEN MV-IS-COUNT   PERFORM 2300-POST-COUNT
               WHEN OTHER         MOVE 'KND' TO RJ-REASON
                                  PERFORM 2900-REJECT-MOVE
           END-EVALUATE.
       2100-POST-RECEIPT.
           ADD MV-QTY TO SM-QTY-ON-HAND
           SUBTRACT MV-QTY FROM SM-QTY-ON-ORDER
           IF SM-QTY-ON-ORDER < ZERO
               MOVE ZERO TO SM-QTY-ON-ORDER
           END-IF
           REWRITE STOCK-RECORD.
       2200-POST-ISSUE.
           COMPUTE WS-NEW-QTY = SM-QTY-ON-HAND - MV-QTY
           IF WS-NEW-QTY < ZERO
               MOVE 'NEG' TO RJ-REASON
               PERFORM 2900-REJECT-MOVE
           ELSE
               MOVE WS-NEW-QTY TO SM-QTY-ON-HAND
               ADD MV-QTY TO SM-ISSUED-TODAY
               REWRITE STOCK-RECORD
           END-IF.
       2300-POST-COUNT.
      * A count replaces the quantity, and is never rejected.
           MOVE MV-QTY TO SM-QTY-ON-HAND
           MOVE MV-DATE TO SM-LAST-COUNT
           REWRITE STOCK-RECORD.
       2900-REJECT-MOVE.
           ADD 1 TO WS-REJECT-COUNT
           MOVE MOVE-RECORD TO RJ-MOVE
           WRITE REJECT-RECORD.
       3000-CLOSE-FILES.
           CLOSE STOCK-MASTER MOVE-FILE REJECT-FILE
           EVALUATE TRUE
               WHEN WS-REJECT-COUNT > WS-REJECT-LIMIT
                   MOVE 16 TO RETURN-CODE
               WHEN WS-REJECT-COUNT > ZERO
                   MOVE 4 TO RETURN-CODE
           END-EVALUATE.
