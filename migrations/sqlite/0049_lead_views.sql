-- Named filters of the list of leads, with columns and order. A workspace shares them; one member owns each.
CREATE TABLE lead_views (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  -- Null if a global key saved it.
  owner_id TEXT,
  name TEXT NOT NULL,
  filters TEXT NOT NULL,
  columns TEXT NOT NULL,
  sort TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX lead_views_by_workspace ON lead_views (workspace_id, created_at, id);
