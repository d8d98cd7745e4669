-- Which leads an import has created: stretches of rows of its file that follow each other and became leads that do. `lead`
-- is the number of the first one; created_at tells its lead from a later one that got the number of a deleted one.
CREATE TABLE lead_import_created (
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  row INTEGER NOT NULL,
  lead INTEGER NOT NULL,
  leads INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (job_id, row)
) STRICT, WITHOUT ROWID;
