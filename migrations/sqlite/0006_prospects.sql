-- The directory of prospects: one a user, numbered on its own. A prospect's seq is owner * 2^32 + number, so that those
-- of a user lie together, in the order in which they came, and need no index to be found by number.
CREATE TABLE prospect_directories (
  owner INTEGER PRIMARY KEY REFERENCES users (seq) ON DELETE CASCADE,
  next_number INTEGER NOT NULL DEFAULT 0,
  prospects INTEGER NOT NULL DEFAULT 0,
  -- How far the index below follows the prospects: those from indexed_to on, and the changes behind changes_to, are not
  -- in it yet. key_runs: JSON, pairs of run and number of entries. rules: those that the terms were made by.
  indexed_to INTEGER NOT NULL DEFAULT 0,
  changes_to INTEGER NOT NULL DEFAULT 0,
  key_runs TEXT NOT NULL DEFAULT '[]',
  rules INTEGER NOT NULL
) STRICT;

-- content: JSON of what is known, absent fields left out. keys: 64-bit floats, hashes of what a prospect is found by.
CREATE TABLE prospects (
  seq INTEGER PRIMARY KEY,
  content TEXT NOT NULL,
  keys BLOB NOT NULL,
  lead_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- What an update or a deletion changes in the index, until it is in there: JSON lists of terms, and new keys.
CREATE TABLE prospect_changes (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  owner INTEGER NOT NULL,
  number INTEGER NOT NULL,
  removed TEXT NOT NULL,
  added TEXT NOT NULL,
  keys BLOB NOT NULL
) STRICT;
CREATE INDEX prospect_changes_by_owner ON prospect_changes (owner, n);

-- The index: an inverted one, made of the prospects and remade from them whenever its rules change. A term is a value
-- of a facet (or a word of a title); its postings are one row for each 65,536 prospects that has some of them, with
-- place = id of the term * 65,536 + number of the prospects / 65,536 (src/storage/sqlite/directory/container.ts).
CREATE TABLE prospect_terms (
  owner INTEGER NOT NULL,
  facet TEXT NOT NULL,
  value TEXT NOT NULL,
  id INTEGER NOT NULL,
  label TEXT NOT NULL,
  prospects INTEGER NOT NULL,
  PRIMARY KEY (owner, facet, value)
) STRICT, WITHOUT ROWID;
CREATE TABLE prospect_postings (
  place INTEGER PRIMARY KEY,
  bits BLOB NOT NULL
) STRICT;

-- Sorted runs of the keys: place = run * 65,536 + page; a page is hashes (64-bit floats), then numbers (32 bits).
CREATE TABLE prospect_key_pages (
  place INTEGER PRIMARY KEY,
  entries BLOB NOT NULL
) STRICT;

-- What is known of companies beside their people. key: domain, else folded name.
CREATE TABLE prospect_companies (
  owner INTEGER NOT NULL REFERENCES users (seq) ON DELETE CASCADE,
  key TEXT NOT NULL,
  name_key TEXT,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX prospect_companies_by_name ON prospect_companies (owner, name_key) WHERE name_key IS NOT NULL;

-- One line for each row of an imported file that did not become a new prospect or company.
CREATE TABLE prospect_import_rows (
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  row INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  prospect INTEGER,
  errors TEXT NOT NULL,
  PRIMARY KEY (job_id, row)
) STRICT, WITHOUT ROWID;

CREATE TABLE saved_searches (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  filters TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX saved_searches_by_user ON saved_searches (user_id, created_at, id);
