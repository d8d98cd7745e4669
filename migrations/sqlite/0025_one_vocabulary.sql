-- One word for one thing: an action that had its effect is completed, as its job and its event are; what is called off is
-- canceled. Reports of the first version wrote done, sent and cancelled for the same.
UPDATE network_actions SET state = 'completed' WHERE state = 'done';
UPDATE network_actions SET state = 'canceled' WHERE state = 'cancelled';
UPDATE jobs SET metadata = json_set(metadata, '$.outcome', 'completed')
  WHERE json_extract(metadata, '$.outcome') IN ('sent', 'done');
UPDATE jobs SET metadata = json_remove(json_set(metadata, '$.canceled', json('true')), '$.cancelled')
  WHERE json_extract(metadata, '$.cancelled') IS NOT NULL;
UPDATE events SET data = json_set(data, '$.outcome', 'completed')
  WHERE type = 'action.completed' AND json_extract(data, '$.outcome') IN ('sent', 'done');
UPDATE campaign_enrolments SET reason = 'campaignCanceled' WHERE reason = 'campaignCancelled';
UPDATE campaign_enrolments SET reason = 'canceled' WHERE reason = 'cancelled';

-- The list of states stands in a CHECK, which only a new table can have.
CREATE TABLE new_campaigns (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('draft', 'running', 'paused', 'canceled')),
  steps TEXT NOT NULL,
  account_ids TEXT NOT NULL,
  settings TEXT NOT NULL,
  started_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO new_campaigns
  SELECT id, user_id, name, iif(state = 'cancelled', 'canceled', state), steps, account_ids, settings, started_at,
    created_at, updated_at
  FROM campaigns;
DROP TABLE campaigns;
ALTER TABLE new_campaigns RENAME TO campaigns;
CREATE INDEX campaigns_by_user ON campaigns (user_id, created_at);

-- Enrollments, spelled as in the rest of the product.
ALTER TABLE campaign_enrolments RENAME TO campaign_enrollments;
ALTER TABLE network_actions RENAME COLUMN enrolment_id TO enrollment_id;
DROP INDEX campaign_enrolments_by_lead;
DROP INDEX campaign_enrolments_of_lead;
DROP INDEX campaign_enrolments_due;
DROP INDEX campaign_enrolments_by_profile;
DROP INDEX campaign_enrolments_by_state;
CREATE UNIQUE INDEX campaign_enrollments_by_lead ON campaign_enrollments (campaign_id, lead_id);
CREATE INDEX campaign_enrollments_of_lead ON campaign_enrollments (lead_id) WHERE state = 'active';
CREATE INDEX campaign_enrollments_due ON campaign_enrollments (campaign_id, wake_at)
  WHERE state = 'active' AND wake_at IS NOT NULL;
CREATE INDEX campaign_enrollments_by_profile ON campaign_enrollments (profile_key, account_id) WHERE state = 'active';
CREATE INDEX campaign_enrollments_by_state ON campaign_enrollments (campaign_id, state, id);
