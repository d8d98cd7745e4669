-- The member who works on a lead. No reference: leads of a workspace outlive its members.
ALTER TABLE leads ADD COLUMN assigned_to TEXT;
CREATE INDEX leads_by_assignee ON leads (owner, assigned_to, created_at, seq) WHERE assigned_to IS NOT NULL;
