-- What verifiers say of e-mail addresses, for each user, so that none is bought twice and one that is refuted does not come
-- back from somebody else. key is that of the do-not-contact list: of guesses that were wrong nothing but a hash stays.
CREATE TABLE email_verdicts (
  owner INTEGER NOT NULL REFERENCES users (seq) ON DELETE CASCADE,
  key BLOB NOT NULL CHECK (length(key) = 16),
  provider TEXT NOT NULL,
  confidence REAL NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (owner, key, provider)
) STRICT, WITHOUT ROWID;
CREATE INDEX email_verdicts_by_age ON email_verdicts (at);
