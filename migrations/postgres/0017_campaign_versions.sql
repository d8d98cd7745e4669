-- version: grows with each edit. first_step: the number of the first step, after those of earlier steps.
ALTER TABLE campaigns ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE campaigns ADD COLUMN first_step INTEGER NOT NULL DEFAULT 0;

-- Steps that were changed after the start, for the leads that have begun them. The type keeps the order of names and
-- every character, as that of campaigns.steps.
CREATE TABLE campaign_earlier_steps (
  campaign_id TEXT COLLATE "C" NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  first_step INTEGER NOT NULL,
  steps JSON NOT NULL,
  PRIMARY KEY (campaign_id, first_step)
);
