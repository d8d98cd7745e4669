-- Sessions can be listed and ended one by one, so they have an ID, and where they are used from.
CREATE TABLE sessions_with_ids (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  key_id TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  key_hash TEXT NOT NULL,
  address TEXT,
  user_agent TEXT,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
INSERT INTO sessions_with_ids
  SELECT lower(hex(randomblob(16))), hash, key_id, key_hash, NULL, NULL, created_at, created_at, expires_at FROM sessions;
DROP TABLE sessions;
ALTER TABLE sessions_with_ids RENAME TO sessions;
CREATE INDEX sessions_by_key ON sessions (key_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
