-- The IDs of leads that were merged into others, so that whoever stored one finds the lead that is left.
CREATE TABLE merged_leads (
  id TEXT COLLATE "C" PRIMARY KEY,
  lead_id TEXT COLLATE "C" NOT NULL REFERENCES leads (id) ON DELETE CASCADE
);
CREATE INDEX merged_leads_by_lead ON merged_leads (lead_id);
