-- Accounts with caps, warm-up and breaks; actions that know the meters they take from; what is known of people.

ALTER TABLE network_accounts RENAME TO old_network_accounts;
ALTER TABLE network_actions RENAME TO old_network_actions;
DROP INDEX network_accounts_by_user;
DROP INDEX network_actions_open;
DROP INDEX network_actions_awaiting;

-- seq is what actions and their indexes name an account by.
CREATE TABLE network_accounts (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  connector TEXT NOT NULL,
  connector_settings TEXT NOT NULL,
  tier TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  working_hours TEXT NOT NULL,
  caps TEXT NOT NULL,
  warm_up TEXT,
  spacing TEXT NOT NULL,
  sessions TEXT,
  jitter_percent INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'paused', 'needsReconnect')),
  state_reason TEXT,
  requires_approval INTEGER NOT NULL DEFAULT 0,
  -- Requests that nobody accepted for so long are taken back; null: never.
  withdraw_after_days INTEGER,
  -- The queue is to be planned again: what it was planned by has changed since.
  needs_plan INTEGER NOT NULL DEFAULT 0,
  -- Grows with every change of the queue, so that a plan that took a while knows whether it is still of today.
  queue_version INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX network_accounts_by_user ON network_accounts (user_id, created_at);
CREATE INDEX network_accounts_to_plan ON network_accounts (seq) WHERE needs_plan = 1;

INSERT INTO network_accounts (id, user_id, name, connector, connector_settings, tier, time_zone, working_hours, caps,
    warm_up, spacing, sessions, jitter_percent, state, needs_plan, created_at, updated_at)
  SELECT id, user_id, name, connector, '{}', 'free', time_zone, working_hours, '{}', NULL,
    json_object('medianSeconds', (min_gap_seconds + max_gap_seconds) / 2, 'minSeconds', min_gap_seconds), NULL, 15,
    'active', 1, created_at, updated_at
  FROM old_network_accounts ORDER BY created_at, id;

-- One row a job of type linkedin_action. slot_at is the planned moment, or when it was carried out; null when it counts
-- for nothing. used: 0 planned, 1 carried out or under way. meter: the place in the list `meters` of
-- src/network/account-model.ts; has_note = 1 takes from the meter of notes too.
CREATE TABLE network_actions (
  seq INTEGER PRIMARY KEY,
  job_id TEXT NOT NULL UNIQUE REFERENCES jobs (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL,
  account INTEGER NOT NULL REFERENCES network_accounts (seq) ON DELETE CASCADE,
  action_type TEXT NOT NULL,
  meter INTEGER NOT NULL,
  has_note INTEGER NOT NULL,
  profile_url TEXT NOT NULL,
  profile_key TEXT NOT NULL,
  target_key TEXT NOT NULL,
  message TEXT,
  details TEXT NOT NULL,
  lead_id TEXT,
  -- The place in a campaign that it is for.
  enrolment_id TEXT,
  campaign_id TEXT,
  campaign_step INTEGER,
  state TEXT NOT NULL,
  pending_reason TEXT,
  used INTEGER NOT NULL,
  slot_at INTEGER,
  not_before INTEGER NOT NULL,
  draw REAL NOT NULL,
  reference TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

INSERT INTO network_actions (job_id, user_id, account, action_type, meter, has_note, profile_url, profile_key,
    target_key, message, details, lead_id, state, pending_reason, used, slot_at, not_before, draw, created_at, updated_at)
  SELECT a.job_id, a.user_id, n.seq, a.action_type, iif(a.action_type = 'sendConnectionRequest', 0, 2),
    a.action_type = 'sendConnectionRequest' AND a.message IS NOT NULL, a.profile_url, a.profile_key, a.profile_key,
    a.message, '{}', a.lead_id, a.state,
    CASE a.state WHEN 'scheduled' THEN 'queued' WHEN 'awaiting' THEN 'awaitingPerson' END,
    a.state IN ('sending', 'awaiting', 'done', 'unknown'),
    CASE WHEN a.state = 'scheduled' THEN j.run_at
      WHEN a.state IN ('sending', 'awaiting', 'done', 'unknown') THEN a.updated_at END,
    a.created_at, 0.5, a.created_at, a.updated_at
  FROM old_network_actions a
  JOIN jobs j ON j.id = a.job_id
  JOIN network_accounts n ON n.id = a.account_id
  ORDER BY a.created_at, a.job_id;

DROP TABLE old_network_actions;
DROP TABLE old_network_accounts;

CREATE INDEX network_actions_by_account ON network_actions (account);
CREATE INDEX network_actions_open ON network_actions (account, target_key, action_type)
  WHERE state IN ('awaitingApproval', 'scheduled', 'sending', 'awaiting');
CREATE INDEX network_actions_slots ON network_actions (account, used, slot_at) WHERE slot_at IS NOT NULL;
CREATE INDEX network_actions_by_meter ON network_actions (account, meter, used, slot_at) WHERE slot_at IS NOT NULL;
CREATE INDEX network_actions_notes ON network_actions (account, used, slot_at) WHERE has_note = 1 AND slot_at IS NOT NULL;
CREATE INDEX network_actions_waiting ON network_actions (account, state, updated_at)
  WHERE state IN ('awaitingApproval', 'awaiting', 'unknown');
CREATE INDEX network_actions_by_lead ON network_actions (lead_id) WHERE lead_id IS NOT NULL;
CREATE INDEX network_actions_by_campaign ON network_actions (campaign_id, campaign_step, state)
  WHERE campaign_id IS NOT NULL;

-- By account and meter: where a search for a slot begins (nothing fits before frontier_at, except where a slot was
-- freed, at free_at or later), and the rest after a limit signal.
CREATE TABLE network_meters (
  account INTEGER NOT NULL REFERENCES network_accounts (seq) ON DELETE CASCADE,
  meter INTEGER NOT NULL,
  frontier_at INTEGER,
  free_at INTEGER,
  cool_until INTEGER,
  cool_level INTEGER,
  cool_reason TEXT,
  cool_since INTEGER,
  PRIMARY KEY (account, meter)
) STRICT, WITHOUT ROWID;

-- How an account and a person stand to each other, as far as the service has seen or was told. The moments are of the
-- latest event of their kind.
CREATE TABLE network_contacts (
  account INTEGER NOT NULL REFERENCES network_accounts (seq) ON DELETE CASCADE,
  profile_key TEXT NOT NULL,
  profile_url TEXT NOT NULL,
  relation TEXT NOT NULL,
  invited_at INTEGER,
  withdrawn_at INTEGER,
  connected_at INTEGER,
  messaged_at INTEGER,
  replied_at INTEGER,
  -- What the connector called the latest request or message.
  reference TEXT,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (account, profile_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX network_contacts_pending ON network_contacts (account, invited_at) WHERE relation = 'pending';
CREATE INDEX network_contacts_unanswered ON network_contacts (account, messaged_at)
  WHERE messaged_at > coalesce(replied_at, 0);

-- By type first: a look for due imports must not pass by a million actions.
DROP INDEX jobs_due;
DROP INDEX jobs_leased;
CREATE INDEX jobs_due ON jobs (type, run_at, id) WHERE status = 'pending';
CREATE INDEX jobs_leased ON jobs (type, lease_until) WHERE status = 'running' AND lease_until IS NOT NULL;

ALTER TABLE api_keys ADD COLUMN requires_approval INTEGER NOT NULL DEFAULT 0;
