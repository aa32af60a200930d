       IDENTIFICATION DIVISION.
       PROGRAM-ID. STKCNTL.
      *----------------------------------------------------------------
      * Control totals: the receipts and issues of the movement file
      * must agree with the trailer. Not to be confused with STKCNT.
      *----------------------------------------------------------------
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT MOVE-FILE ASSIGN TO STKMOVE.
       DATA DIVISION.
       FILE SECTION.
       FD  MOVE-FILE.
           COPY STKMOVE.
       WORKING-STORAGE SECTION.
       01  WS-END-SWITCH               PIC X VALUE 'N'.
           88  END-OF-MOVES            VALUE 'Y'.
       01  WS-NET-QTY                  PIC S9(9) COMP-3 VALUE ZERO.
       01  WS-TRAILER-QTY              PIC S9(9) COMP-3 VALUE ZERO.
       PROCEDURE DIVISION.
       0000-MAIN.
           OPEN INPUT MOVE-FILE
           PERFORM 1000-READ-MOVE
           PERFORM 2000-ADD-MOVE UNTIL END-OF-MOVES
           CLOSE MOVE-FILE
           IF WS-NET-QTY NOT = WS-TRAILER-QTY
               DISPLAY 'STKCNTL OUT OF BALANCE'
               MOVE 12 TO RETURN-CODE
           END-IF
           GOBACK.
       1000-READ-MOVE.
           READ MOVE-FILE
               AT END SET END-OF-MOVES TO TRUE
           END-READ.
       2000-ADD-MOVE.
           EVALUATE TRUE
               WHEN MV-IS-RECEIPT ADD MV-QTY TO WS-NET-QTY
               WHEN MV-IS-ISSUE   SUBTRACT MV-QTY FROM WS-NET-QTY
               WHEN MV-IS-TRAILER MOVE MV-QTY TO WS-TRAILER-QTY
           END-EVALUATE
           PERFORM 1000-READ-MOVE.
