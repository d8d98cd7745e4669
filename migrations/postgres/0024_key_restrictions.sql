-- Keys can have rate limits of their own (requests per window), and be limited to addresses. Null: not limited.
ALTER TABLE api_keys ADD COLUMN rate_limits JSONB;
ALTER TABLE api_keys ADD COLUMN allowed_networks JSONB;

-- Requests by key and day (days since 1970 in UTC).
CREATE TABLE key_usage (
  key_id TEXT COLLATE "C" NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  uses BIGINT NOT NULL,
  PRIMARY KEY (key_id, day)
);
CREATE INDEX key_usage_by_day ON key_usage (day);
