-- What the purchasing side keeps. Stock itself stays on the mainframe.
CREATE TABLE supplier (
    supplier_no  CHAR(6) PRIMARY KEY,
    company_name VARCHAR(60) NOT NULL,
    on_hold      INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE purchase_order (
    order_no     INTEGER PRIMARY KEY,
    supplier_no  CHAR(6) NOT NULL REFERENCES supplier (supplier_no),
    order_state  VARCHAR(8) NOT NULL DEFAULT 'draft'
        CHECK (order_state IN ('draft', 'sent', 'closed'))
);

CREATE TABLE order_line (
    order_no     INTEGER NOT NULL REFERENCES purchase_order (order_no),
    part_no      CHAR(8) NOT NULL,
    line_qty     INTEGER NOT NULL CHECK (line_qty > 0),
    unit_pence   INTEGER NOT NULL,
    PRIMARY KEY (order_no, part_no)
);

CREATE VIEW open_commitment AS
    SELECT o.supplier_no, SUM(l.line_qty * l.unit_pence) AS pence_total
    FROM purchase_order o JOIN order_line l ON l.order_no = o.order_no
    WHERE o.order_state <> 'closed'
    GROUP BY o.supplier_no;
