-- Whom nobody may contact. owner is null for entries of the whole team. key is what an entry is found by: the first 16
-- bytes of the SHA-256 of kind and value (src/suppression/key.ts). value is null once only the hash may be kept.
CREATE TABLE suppressions (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  owner INTEGER REFERENCES users (seq) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('email', 'domain', 'profile', 'phone')),
  key BLOB NOT NULL CHECK (length(key) = 16),
  value TEXT,
  reason TEXT,
  source TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX suppressions_by_key ON suppressions (key, ifnull(owner, 0));
CREATE INDEX suppressions_by_owner ON suppressions (owner, seq);

-- Kept in step by every write: who has no entries of a kind is never looked up.
CREATE TABLE suppression_counts (
  owner INTEGER REFERENCES users (seq) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  entries INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX suppression_counts_by_owner ON suppression_counts (ifnull(owner, 0), kind);
