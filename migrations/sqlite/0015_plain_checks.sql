-- What each write of a job and of a delivery pays for: SQLite builds a table for a list of three values or more
-- each time that it tests one; it does not for alternatives. A CHECK can't be altered, so the tables are made anew.
CREATE TABLE jobs_checked (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status = 'pending' OR status = 'running' OR status = 'completed' OR status = 'failed'),
  run_at INTEGER NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  max_attempts INTEGER NOT NULL,
  lease_until INTEGER,
  message TEXT NOT NULL,
  progress REAL NOT NULL DEFAULT 0,
  metadata TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  completed_at INTEGER
) STRICT;
INSERT INTO jobs_checked
  SELECT id, user_id, type, status, run_at, attempt, failures, max_attempts, lease_until, message, progress, metadata,
    payload, created_at, updated_at, completed_at FROM jobs ORDER BY id;
DROP TABLE jobs;
ALTER TABLE jobs_checked RENAME TO jobs;
CREATE INDEX jobs_due ON jobs (type, run_at, id) WHERE status = 'pending';
CREATE INDEX jobs_leased ON jobs (type, lease_until) WHERE status = 'running' AND lease_until IS NOT NULL;
CREATE INDEX jobs_by_user ON jobs (user_id, created_at, id);

CREATE TABLE webhook_deliveries_checked (
  endpoint INTEGER NOT NULL REFERENCES webhook_endpoints (seq) ON DELETE CASCADE,
  event INTEGER NOT NULL REFERENCES events (seq) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state = 'pending' OR state = 'delivered' OR state = 'failed'),
  next_at INTEGER,
  tries INTEGER NOT NULL,
  attempts TEXT NOT NULL,
  PRIMARY KEY (endpoint, event)
) STRICT, WITHOUT ROWID;
INSERT INTO webhook_deliveries_checked SELECT endpoint, event, state, next_at, tries, attempts FROM webhook_deliveries;
DROP TABLE webhook_deliveries;
ALTER TABLE webhook_deliveries_checked RENAME TO webhook_deliveries;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (endpoint, event) WHERE state = 'failed';
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event);
