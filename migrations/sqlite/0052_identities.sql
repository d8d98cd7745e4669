-- Accounts at an OpenID Connect issuer that users sign in with. An issuer never gives a subject to another person
-- (OpenID Connect Core, section 2); addresses may change hands.
CREATE TABLE user_identities (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  email TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  UNIQUE (issuer, subject),
  UNIQUE (issuer, user_id)
) STRICT;
CREATE INDEX user_identities_by_user ON user_identities (user_id);
