-- One row a request that was sent with an Idempotency-Key and changed something, or succeeded. It is written in the
-- transactions of the request's own effects. Without a status the request was not answered, or not with something that
-- can be told again. Rows are in the order of time and have no index, which would cost more than they do themselves.
CREATE TABLE idempotent_requests (
  seq INTEGER PRIMARY KEY,
  -- The first 16 bytes of the SHA-256 of the caller, the route and the key.
  id BLOB NOT NULL,
  started_at INTEGER NOT NULL,
  -- SHA-256 of what the body says, and its length; null when it was not read to its end.
  fingerprint BLOB,
  bytes INTEGER NOT NULL,
  status INTEGER,
  headers TEXT,
  -- JSON; a blob when it shows a secret, encrypted; null when it was too large to be kept.
  body ANY
) STRICT;

-- Where rows up to a seq are found by id. Filled thousands at a time, in the order of ids; the newest are kept in memory.
CREATE TABLE idempotent_request_ids (
  id BLOB PRIMARY KEY,
  seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotent_requests_indexed (
  up_to INTEGER NOT NULL
) STRICT;
INSERT INTO idempotent_requests_indexed (up_to) VALUES (0);
