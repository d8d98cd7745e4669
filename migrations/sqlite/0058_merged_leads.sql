-- The IDs of leads that were merged into others, so that whoever stored one finds the lead that is left.
CREATE TABLE merged_leads (
  id TEXT PRIMARY KEY,
  lead_id TEXT NOT NULL REFERENCES leads (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX merged_leads_by_lead ON merged_leads (lead_id);
