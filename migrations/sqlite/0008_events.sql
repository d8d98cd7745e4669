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
