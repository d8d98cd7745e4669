-- Named filters of the list of leads, with columns and order. A workspace shares them; one member owns each.
CREATE TABLE lead_views (
  id TEXT COLLATE "C" PRIMARY KEY,
  workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  -- Null if a global key saved it.
  owner_id TEXT COLLATE "C",
  name TEXT NOT NULL,
  filters JSONB NOT NULL,
  columns JSONB NOT NULL,
  sort TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX lead_views_by_workspace ON lead_views (workspace_id, created_at, id);
