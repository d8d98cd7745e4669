-- What happened, in order: each row is written in the transaction of its cause. seq grows with every commit and is never
-- given twice, so that whoever has read up to one has read all before it. owner is null for what concerns the whole
-- installation. The subjects stand in columns of their own, because they are searched by; data is a small JSON object.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  owner INTEGER REFERENCES users (seq) ON DELETE CASCADE,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  lead_id TEXT,
  job_id TEXT,
  campaign_id TEXT,
  account_id TEXT,
  voice_id TEXT,
  data TEXT NOT NULL
) STRICT;
-- Each ends in seq, as every index does: a page is read from its end, in order.
CREATE INDEX events_by_owner ON events (owner);
CREATE INDEX events_by_type ON events (owner, type);
CREATE INDEX events_by_lead ON events (lead_id) WHERE lead_id IS NOT NULL;
CREATE INDEX events_by_job ON events (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX events_by_campaign ON events (campaign_id) WHERE campaign_id IS NOT NULL;
CREATE INDEX events_by_account ON events (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX events_by_voice ON events (voice_id) WHERE voice_id IS NOT NULL;

-- The lead and the campaign of the latest action for a person: whose news it is when the person accepts or answers.
ALTER TABLE network_contacts ADD COLUMN lead_id TEXT;
ALTER TABLE network_contacts ADD COLUMN campaign_id TEXT;

-- The end of its life that the owner of a key was warned of.
CREATE TABLE key_warnings (
  key_id TEXT PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Keys that held every permission there was hold the new ones as well; they were made to do everything.
UPDATE api_keys
  SET permissions = json_insert(permissions, '$[#]', 'events:read', '$[#]', 'webhooks:read', '$[#]', 'webhooks:write')
  WHERE json_array_length(permissions) = 21;

-- Where events of a user are posted to. Secrets stand here in clear: a signature can't be made from a hash.
CREATE TABLE webhook_endpoints (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  owner INTEGER NOT NULL REFERENCES users (seq) ON DELETE CASCADE,
  url TEXT NOT NULL,
  description TEXT,
  -- Names of types and groups, as JSON; null: everything.
  types TEXT,
  is_enabled INTEGER NOT NULL,
  disabled_at INTEGER,
  disabled_reason TEXT,
  secret TEXT NOT NULL,
  old_secret TEXT,
  old_secret_until INTEGER,
  -- It is told what happened behind this event.
  since INTEGER NOT NULL,
  -- How it does: failures since its last success, since when, and until when it is left alone.
  failures INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  rests_until INTEGER NOT NULL DEFAULT 0,
  last_success_at INTEGER,
  last_failure_at INTEGER,
  -- When its earliest pending delivery is due; null: nothing is pending.
  due_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Its deliveries are removed bit by bit, then it is.
  is_deleted INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX webhook_endpoints_active ON webhook_endpoints (owner) WHERE is_enabled = 1 AND is_deleted = 0;
CREATE INDEX webhook_endpoints_owned ON webhook_endpoints (owner, created_at) WHERE is_deleted = 0;
CREATE INDEX webhook_endpoints_deleted ON webhook_endpoints (seq) WHERE is_deleted = 1;
-- Apart, so that thousands of dead receivers don't stand in the way of one that works.
CREATE INDEX webhook_endpoints_due ON webhook_endpoints (due_at)
  WHERE is_enabled = 1 AND is_deleted = 0 AND failures = 0 AND due_at IS NOT NULL;
CREATE INDEX webhook_endpoints_due_failing ON webhook_endpoints (due_at)
  WHERE is_enabled = 1 AND is_deleted = 0 AND failures > 0 AND due_at IS NOT NULL;

-- What an endpoint is to be told, and what came of it. next_at: of the next attempt while it is pending, else null.
-- attempts: the latest of them, as JSON. tries: those since it was last put into the queue.
CREATE TABLE webhook_deliveries (
  endpoint INTEGER NOT NULL REFERENCES webhook_endpoints (seq) ON DELETE CASCADE,
  event INTEGER NOT NULL REFERENCES events (seq) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  next_at INTEGER,
  tries INTEGER NOT NULL,
  attempts TEXT NOT NULL,
  PRIMARY KEY (endpoint, event)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (endpoint, event) WHERE state = 'failed';
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event);

-- Up to which event deliveries have been made.
CREATE TABLE webhook_position (event INTEGER NOT NULL) STRICT;
INSERT INTO webhook_position VALUES (0);
