-- Kept requests are found as leads are (lead_keys): by a hash, the first 52 bits of their id, which goes to a log first
-- and is merged into the table in sorted order. An id in a sorted table of its own took a page for each request or two.
CREATE TABLE idempotent_request_keys (
  key INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (key, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE idempotent_request_keys_log (
  n INTEGER PRIMARY KEY,
  entries BLOB NOT NULL
) STRICT;

-- Each digit by its place among the digits; 0 is at none.
INSERT INTO idempotent_request_keys (key, seq)
WITH RECURSIVE place (at) AS (VALUES (1) UNION ALL SELECT at + 1 FROM place WHERE at < 13)
SELECT sum(instr('123456789ABCDEF', substr(hex(id), at, 1)) << (4 * (13 - at))), seq
FROM idempotent_requests, place GROUP BY seq;

DROP TABLE idempotent_request_ids;
DROP TABLE idempotent_requests_indexed;
