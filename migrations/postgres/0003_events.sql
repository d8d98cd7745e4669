-- Which node does a recurring chore. The epoch grows with each holder and fences off earlier ones.
CREATE TABLE chore_leases (
  name TEXT COLLATE "C" PRIMARY KEY,
  holder TEXT NOT NULL,
  until BIGINT NOT NULL,
  epoch BIGINT NOT NULL
);

-- Up to which event something is done. The row is locked while it moves.
CREATE TABLE event_positions (
  name TEXT COLLATE "C" PRIMARY KEY,
  event BIGINT NOT NULL
);

-- Pages of events are read in the order of positions.
DROP INDEX events_by_type;
DROP INDEX events_by_lead;
DROP INDEX events_by_job;
DROP INDEX events_by_campaign;
DROP INDEX events_by_account;
DROP INDEX events_by_voice;
CREATE INDEX events_by_owner ON events (owner, position);
CREATE INDEX events_by_type ON events (owner, type, position);
CREATE INDEX events_by_lead ON events (lead_id, position) WHERE lead_id IS NOT NULL;
CREATE INDEX events_by_job ON events (job_id, position) WHERE job_id IS NOT NULL;
CREATE INDEX events_by_campaign ON events (campaign_id, position) WHERE campaign_id IS NOT NULL;
CREATE INDEX events_by_account ON events (account_id, position) WHERE account_id IS NOT NULL;
CREATE INDEX events_by_voice ON events (voice_id, position) WHERE voice_id IS NOT NULL;
