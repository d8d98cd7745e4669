-- Keys can have rate limits of their own (requests per window), and be limited to addresses. Null: not limited.
ALTER TABLE api_keys ADD COLUMN rate_limits TEXT;
ALTER TABLE api_keys ADD COLUMN allowed_networks TEXT;

-- Requests by key and day (days since 1970 in UTC).
CREATE TABLE key_usage (
  key_id TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  uses INTEGER NOT NULL,
  PRIMARY KEY (key_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX key_usage_by_day ON key_usage (day);
