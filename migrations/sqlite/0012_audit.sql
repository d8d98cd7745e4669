-- Who did what, when and from where. hash is the SHA-256 of the row before and of this one (src/storage/sqlite/audit.ts),
-- so that a row that was changed or taken out later breaks the chain.
CREATE TABLE audit_log (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  action TEXT NOT NULL,
  -- Whom it is about; null: nobody in particular.
  user_id TEXT,
  via TEXT NOT NULL CHECK (via IN ('api', 'commandLine', 'service')),
  -- The user of the key; null for a global key.
  actor_id TEXT,
  key_id TEXT,
  key_name TEXT,
  address TEXT,
  user_agent TEXT,
  request_id TEXT,
  target_type TEXT,
  target_id TEXT,
  details TEXT NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;
CREATE INDEX audit_log_by_user ON audit_log (user_id, seq);

CREATE TRIGGER audit_log_fixed BEFORE UPDATE ON audit_log BEGIN
  SELECT raise(ABORT, 'the audit log can only be added to');
END;
CREATE TRIGGER audit_log_from_its_beginning BEFORE DELETE ON audit_log
WHEN OLD.seq > (SELECT min(seq) FROM audit_log) BEGIN
  SELECT raise(ABORT, 'the audit log is forgotten from its beginning only');
END;

-- Where the chain begins since old rows were forgotten: the last of those.
CREATE TABLE audit_start (
  only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL
) STRICT;

-- What makes this database one of a simulation: written before its first user, and never afterwards.
CREATE TABLE simulation (
  only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
  seed INTEGER NOT NULL,
  now INTEGER NOT NULL,
  -- How often it was started, so that no id is given a second time.
  starts INTEGER NOT NULL
) STRICT;
