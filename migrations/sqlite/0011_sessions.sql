-- Of sessions and of the links that begin them only the SHA-256 of their token is kept. Both end with the secret of
-- their key (key_hash): a key that got a new one keeps its id.
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  key_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_key ON sessions (key_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE sign_in_links (
  hash TEXT PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  key_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_links_by_key ON sign_in_links (key_id);
CREATE INDEX sign_in_links_by_end ON sign_in_links (expires_at);
