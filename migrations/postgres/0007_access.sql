-- Requests with an Idempotency-Key.
CREATE TABLE idempotent_requests (
  -- The first 16 bytes of the SHA-256 of the caller, the route, and the key.
  id BYTEA PRIMARY KEY,
  -- Which execution wrote the row: of two nodes that execute the same request, the second fails.
  attempt UUID NOT NULL,
  workspace_id TEXT COLLATE "C",
  started_at BIGINT NOT NULL,
  -- SHA-256 of the body, and its length; null if it was not read to its end.
  fingerprint BYTEA,
  bytes BIGINT NOT NULL,
  -- Null: executed, but the response is unknown.
  status INTEGER,
  headers JSONB,
  -- Text in UTF-8, or encrypted text; null if it was too large to store.
  body BYTEA,
  is_encrypted BOOLEAN NOT NULL
);
CREATE INDEX idempotent_requests_by_age ON idempotent_requests (started_at);
CREATE INDEX idempotent_requests_by_workspace ON idempotent_requests (workspace_id);
