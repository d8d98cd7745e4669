-- Sequences of actions, and the leads on their way through them.
CREATE TABLE campaigns (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('draft', 'running', 'paused', 'cancelled')),
  steps TEXT NOT NULL,
  account_ids TEXT NOT NULL,
  settings TEXT NOT NULL,
  started_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX campaigns_by_user ON campaigns (user_id, created_at);

-- at_step: the place in the compiled steps. wake_at: when it is looked at next; null while its action is on its way.
-- since_at: when it came to this step. version grows with every move.
CREATE TABLE campaign_enrolments (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL,
  lead_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  profile_key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'completed', 'stopped', 'failed')),
  reason TEXT,
  at_step INTEGER NOT NULL,
  since_at INTEGER NOT NULL,
  wake_at INTEGER,
  job_id TEXT,
  connected_at INTEGER,
  replied_at INTEGER,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX campaign_enrolments_by_lead ON campaign_enrolments (campaign_id, lead_id);
CREATE INDEX campaign_enrolments_of_lead ON campaign_enrolments (lead_id) WHERE state = 'active';
CREATE INDEX campaign_enrolments_due ON campaign_enrolments (campaign_id, wake_at)
  WHERE state = 'active' AND wake_at IS NOT NULL;
CREATE INDEX campaign_enrolments_by_profile ON campaign_enrolments (profile_key, account_id) WHERE state = 'active';
CREATE INDEX campaign_enrolments_by_state ON campaign_enrolments (campaign_id, state, id);
