       IDENTIFICATION DIVISION.
       PROGRAM-ID. STKREORD.
      *----------------------------------------------------------------
      * Proposes what to buy: reads the whole stock master in key order
      * and writes one REORDLN line for each part that runs short.
      *----------------------------------------------------------------
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT STOCK-MASTER ASSIGN TO STKMAST
               ORGANIZATION IS INDEXED
               ACCESS MODE IS SEQUENTIAL
               RECORD KEY IS SM-PART-NO.
           SELECT PROPOSAL-FILE ASSIGN TO REORDOUT.
       DATA DIVISION.
       FILE SECTION.
       FD  STOCK-MASTER.
           COPY STKMAST.
       FD  PROPOSAL-FILE.
           COPY REORDLN.
       WORKING-STORAGE SECTION.
       01  WS-END-SWITCH               PIC X VALUE 'N'.
           88  END-OF-MASTER           VALUE 'Y'.
       01  WS-TRIGGER-LEVEL            PIC S9(7) COMP-3.
       01  WS-AVAILABLE                PIC S9(7) COMP-3.
       01  WS-SHORTFALL                PIC S9(7) COMP-3.
       01  WS-PACKS                    PIC S9(5) COMP-3.
       01  WS-REMAINDER                PIC S9(5) COMP-3.
       PROCEDURE DIVISION.
       0000-MAIN.
           OPEN INPUT STOCK-MASTER OUTPUT PROPOSAL-FILE
           PERFORM 1000-READ-MASTER
           PERFORM 2000-CHECK-PART UNTIL END-OF-MASTER
           CLOSE STOCK-MASTER PROPOSAL-FILE
           GOBACK.
       1000-READ-MASTER.
           READ STOCK-MASTER NEXT RECORD
               AT END SET END-OF-MASTER TO TRUE
           END-READ.
       2000-CHECK-PART.
           IF SM-IS-ACTIVE
               PERFORM 2100-FIND-TRIGGER
               COMPUTE WS-AVAILABLE =
                   SM-QTY-ON-HAND + SM-QTY-ON-ORDER
               IF WS-AVAILABLE < WS-TRIGGER-LEVEL
                   PERFORM 2200-ROUND-TO-PACKS
                   PERFORM 2300-WRITE-PROPOSAL
               END-IF
           END-IF
           PERFORM 1000-READ-MASTER.
       2100-FIND-TRIGGER.
           COMPUTE WS-TRIGGER-LEVEL =
               SM-DAILY-USAGE * SM-LEAD-DAYS + SM-SAFETY-QTY.
       2200-ROUND-TO-PACKS.
           COMPUTE WS-SHORTFALL = WS-TRIGGER-LEVEL - WS-AVAILABLE
           DIVIDE WS-SHORTFALL BY SM-PACK-SIZE
               GIVING WS-PACKS REMAINDER WS-REMAINDER
           IF WS-REMAINDER > ZERO
               ADD 1 TO WS-PACKS
           END-IF.
       2300-WRITE-PROPOSAL.
           MOVE SM-PART-NO TO RL-PART-NO
           MOVE SM-SUPPLIER-NO TO RL-SUPPLIER-NO
           COMPUTE RL-QTY = WS-PACKS * SM-PACK-SIZE
           MOVE SM-UNIT-COST TO RL-UNIT-COST
           WRITE REORDER-LINE.
