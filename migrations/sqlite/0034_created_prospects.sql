-- Rows of an import that became new prospects, in stretches: one line for each would double what an import writes.
CREATE TABLE prospect_import_created (
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  row INTEGER NOT NULL,
  -- `seq` of the first, and how many there are.
  prospect INTEGER NOT NULL,
  prospects INTEGER NOT NULL,
  PRIMARY KEY (job_id, row)
) STRICT, WITHOUT ROWID;
