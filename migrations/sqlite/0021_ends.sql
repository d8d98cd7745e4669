-- Backups that are being made, which tells those that were cut off together with their process. Archives are files.
CREATE TABLE backups_begun (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- The end of the audit log, so that entries that are taken away from there are missed. It only goes on.
CREATE TABLE audit_end (
  only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;
INSERT INTO audit_end
  SELECT 1, seq, hash FROM (
    SELECT seq, hash FROM audit_log UNION ALL SELECT seq, hash FROM audit_start UNION ALL SELECT 0, zeroblob(32))
  ORDER BY seq DESC LIMIT 1;
CREATE TRIGGER audit_end_goes_on BEFORE UPDATE ON audit_end WHEN NEW.seq <= OLD.seq BEGIN
  SELECT raise(ABORT, 'the end of the audit log only goes on');
END;
CREATE TRIGGER audit_end_stays BEFORE DELETE ON audit_end BEGIN
  SELECT raise(ABORT, 'the audit log always has an end');
END;
