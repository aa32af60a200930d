      * One line for the purchasing side, 30 characters.
      * proposal_file.py reads the same columns: change both.
       01  REORDER-LINE.
           05  RL-PART-NO              PIC X(8).
           05  RL-SUPPLIER-NO          PIC X(6).
           05  RL-QTY                  PIC 9(7).
           05  RL-UNIT-COST            PIC 9(5)V99.
           05  FILLER                  PIC X(2).
