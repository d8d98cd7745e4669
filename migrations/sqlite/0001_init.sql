-- Instants are milliseconds since 1970 (UTC). Lists and objects are JSON texts.

-- seq is what large tables and their indexes name a user by: 1 to 3 bytes where the id has 36.
CREATE TABLE users (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL COLLATE NOCASE UNIQUE,
  name TEXT,
  role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
  time_zone TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- user_id is null for a global key. Only the SHA-256 of a key is kept; hint is its first characters.
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  permissions TEXT NOT NULL,
  expires_at INTEGER,
  is_active INTEGER NOT NULL DEFAULT 1,
  usage_count INTEGER NOT NULL DEFAULT 0,
  last_used_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at);

-- Requests that a subject (a user, or a global key) made in the current window of each size.
CREATE TABLE rate_windows (
  subject TEXT NOT NULL,
  window TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (subject, window)
) STRICT, WITHOUT ROWID;

-- The balance of a user is the sum of the rows.
CREATE TABLE credit_ledger (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  amount INTEGER NOT NULL,
  note TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX credit_ledger_by_user ON credit_ledger (user_id, created_at, amount);

-- The indexes grow at their end only, so that storing a lead costs the same in a table of a thousand and of millions.
CREATE TABLE leads (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  owner INTEGER NOT NULL REFERENCES users (seq) ON DELETE CASCADE,
  first_name TEXT,
  last_name TEXT,
  email TEXT,
  company TEXT,
  title TEXT,
  phone TEXT,
  network_url TEXT,
  industry TEXT,
  location TEXT,
  source TEXT,
  notes TEXT,
  status TEXT NOT NULL,
  tags TEXT NOT NULL,
  custom_fields TEXT NOT NULL,
  -- Names, e-mail, company, title and source in lower case, between control characters: what searches look into.
  folded TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX leads_by_created ON leads (owner, created_at);
CREATE INDEX leads_by_updated ON leads (owner, updated_at);
CREATE INDEX leads_by_status ON leads (owner, status, created_at);

-- Where duplicates are looked for: 53-bit hashes of owner and e-mail, profile URL, or names and company. An entry is a
-- hint that may be stale; whoever follows it compares the lead itself. New entries go to the log, a blob for each write
-- (pairs of key and lead, as 64-bit floats), and are merged in order into the sorted table, many to a page
-- (src/storage/sqlite/lead-keys.ts).
CREATE TABLE lead_keys (
  key INTEGER NOT NULL,
  lead INTEGER NOT NULL,
  PRIMARY KEY (key, lead)
) STRICT, WITHOUT ROWID;
CREATE TABLE lead_keys_log (
  n INTEGER PRIMARY KEY,
  entries BLOB NOT NULL
) STRICT;

CREATE TABLE lead_tags (
  owner INTEGER NOT NULL REFERENCES users (seq) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  lead INTEGER NOT NULL,
  PRIMARY KEY (owner, tag, lead)
) STRICT, WITHOUT ROWID;

-- Kept in step with leads by every write, so that the total of a list costs the same for ten leads and for ten million.
CREATE TABLE lead_counts (
  owner INTEGER NOT NULL REFERENCES users (seq) ON DELETE CASCADE,
  status TEXT NOT NULL,
  leads INTEGER NOT NULL,
  PRIMARY KEY (owner, status)
) STRICT, WITHOUT ROWID;

-- The queue. metadata is for clients, payload for the handler. attempt is the fence: whoever writes with an older
-- one has lost its lease. A running job without lease_until is parked: somebody outside will complete it.
CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed')),
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
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE status = 'pending';
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE status = 'running' AND lease_until IS NOT NULL;
CREATE INDEX jobs_by_user ON jobs (user_id, created_at, id);

-- One line for each row of an imported file that was not stored, or was not stored as a new lead.
CREATE TABLE lead_import_rows (
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  row INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  lead_id TEXT,
  errors TEXT NOT NULL,
  PRIMARY KEY (job_id, row)
) STRICT, WITHOUT ROWID;

-- Whom a dry run would have stored or changed so far, and the keys to find them by; emptied when it ends.
CREATE TABLE lead_import_notes (
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  lead INTEGER,
  lead_id TEXT,
  texts TEXT NOT NULL,
  PRIMARY KEY (job_id, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX lead_import_notes_by_lead ON lead_import_notes (job_id, lead) WHERE lead IS NOT NULL;
CREATE TABLE lead_import_note_keys (
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  key INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (job_id, key, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE network_accounts (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  connector TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  working_hours TEXT NOT NULL,
  min_gap_seconds INTEGER NOT NULL,
  max_gap_seconds INTEGER NOT NULL,
  -- The latest moment given to an action of this account; the next one is placed behind it.
  last_slot_at INTEGER,
  -- When the last one was really sent.
  last_sent_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX network_accounts_by_user ON network_accounts (user_id, created_at);

-- One row a job of type linkedin_action. state: scheduled, sending (the mark before the connector is called),
-- awaiting (handed to a person), done, skipped, failed, unknown, cancelled.
CREATE TABLE network_actions (
  job_id TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES network_accounts (id) ON DELETE CASCADE,
  action_type TEXT NOT NULL,
  profile_url TEXT NOT NULL,
  profile_key TEXT NOT NULL,
  message TEXT,
  lead_id TEXT,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX network_actions_open ON network_actions (account_id, profile_key, action_type)
  WHERE state IN ('scheduled', 'sending', 'awaiting');
CREATE INDEX network_actions_awaiting ON network_actions (user_id, updated_at, job_id) WHERE state = 'awaiting';
