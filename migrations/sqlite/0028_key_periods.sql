-- How long a key lasts from when its secret is made, so that the period can start anew; null: it has none.
ALTER TABLE api_keys ADD COLUMN expires_in_days INTEGER;
UPDATE api_keys SET expires_in_days = max(1, CAST(round((expires_at - created_at) / 86400000.0) AS INTEGER))
  WHERE expires_at IS NOT NULL;
