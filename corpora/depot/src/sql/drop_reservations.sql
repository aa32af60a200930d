-- Change C-0437: workshops order by picklist; nothing is reserved any more.
DROP TABLE IF EXISTS part_reservation;
DROP VIEW IF EXISTS reserved_qty;
