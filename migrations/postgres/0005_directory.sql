-- The directory of prospects, one a workspace. Whoever stores prospects locks its row first, so that the numbers of
-- prospects and of changes are committed in their order.
CREATE TABLE prospect_directories (
  owner BIGINT PRIMARY KEY REFERENCES workspaces (seq) ON DELETE CASCADE,
  next_number BIGINT NOT NULL DEFAULT 0,
  last_change BIGINT NOT NULL DEFAULT 0,
  -- The postings contain the changes up to this one.
  folded_to BIGINT NOT NULL DEFAULT 0,
  -- How many prospects the changes behind it are about.
  unfolded BIGINT NOT NULL DEFAULT 0,
  -- The version of the rules that terms and keys are made by.
  rules INTEGER NOT NULL,
  -- While the index is made anew: prospects from this number on are not in it yet.
  rebuilt_to BIGINT
);

-- content: the JSON text as it was stored, since an update is what changes the text.
CREATE TABLE prospects (
  owner BIGINT NOT NULL REFERENCES prospect_directories (owner) ON DELETE CASCADE,
  number BIGINT NOT NULL,
  content TEXT NOT NULL,
  lead_id TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (owner, number)
);

-- Hashes of what people and companies are found by. A key may lead to a prospect that has it no longer.
CREATE TABLE prospect_keys (
  owner BIGINT NOT NULL REFERENCES prospect_directories (owner) ON DELETE CASCADE,
  key BIGINT NOT NULL,
  number BIGINT NOT NULL,
  PRIMARY KEY (owner, key, number)
);

-- The numbers of records that were merged into another one.
CREATE TABLE prospect_aliases (
  owner BIGINT NOT NULL REFERENCES prospect_directories (owner) ON DELETE CASCADE,
  number BIGINT NOT NULL,
  into_number BIGINT NOT NULL,
  PRIMARY KEY (owner, number)
);
CREATE INDEX prospect_aliases_by_target ON prospect_aliases (owner, into_number);

-- Which prospects were paid for, and when last.
CREATE TABLE prospect_reveals (
  owner BIGINT NOT NULL REFERENCES prospect_directories (owner) ON DELETE CASCADE,
  number BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (owner, number)
);

-- What is known of companies beside their people. key: domain, else the normal form of the name.
CREATE TABLE prospect_companies (
  owner BIGINT NOT NULL REFERENCES prospect_directories (owner) ON DELETE CASCADE,
  key TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C",
  content TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (owner, key)
);
CREATE INDEX prospect_companies_by_name ON prospect_companies (owner, name_key, key) WHERE name_key IS NOT NULL;

-- The inverted index: the values of facets, and the prospects that have each of them, as one set of bits or of 16-bit
-- numbers for every 65,536 prospects. Both are as of the last fold.
CREATE TABLE prospect_terms (
  owner BIGINT NOT NULL REFERENCES prospect_directories (owner) ON DELETE CASCADE,
  facet TEXT COLLATE "C" NOT NULL,
  value TEXT COLLATE "C" NOT NULL,
  id BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE,
  label TEXT NOT NULL,
  prospects BIGINT NOT NULL,
  PRIMARY KEY (owner, facet, value)
);
CREATE TABLE prospect_postings (
  owner BIGINT NOT NULL REFERENCES prospect_directories (owner) ON DELETE CASCADE,
  term BIGINT NOT NULL,
  block INTEGER NOT NULL,
  bits BYTEA NOT NULL,
  PRIMARY KEY (owner, term, block)
);
-- Bits hardly compress, and are read whole.
ALTER TABLE prospect_postings ALTER COLUMN bits SET STORAGE EXTERNAL;
-- The version of a block changes with every fold that changes one of its sets.
CREATE TABLE prospect_blocks (
  owner BIGINT NOT NULL REFERENCES prospect_directories (owner) ON DELETE CASCADE,
  block INTEGER NOT NULL,
  version BIGINT NOT NULL,
  PRIMARY KEY (owner, block)
);
-- What transactions have changed since: JSON of terms with the prospects that have them now, or no longer.
CREATE TABLE prospect_changes (
  owner BIGINT NOT NULL REFERENCES prospect_directories (owner) ON DELETE CASCADE,
  n BIGINT NOT NULL,
  terms TEXT NOT NULL,
  PRIMARY KEY (owner, n)
);

-- One line for each row of an imported file that did not become a new prospect.
CREATE TABLE prospect_import_rows (
  job_id TEXT COLLATE "C" NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  row BIGINT NOT NULL,
  outcome TEXT COLLATE "C" NOT NULL,
  prospect BIGINT,
  errors JSONB NOT NULL,
  PRIMARY KEY (job_id, row)
);
-- Those that did, in stretches. prospect: the number of the first.
CREATE TABLE prospect_import_created (
  job_id TEXT COLLATE "C" NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  row BIGINT NOT NULL,
  prospect BIGINT NOT NULL,
  prospects BIGINT NOT NULL,
  PRIMARY KEY (job_id, row)
);

CREATE TABLE saved_searches (
  id TEXT COLLATE "C" PRIMARY KEY,
  workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  source TEXT COLLATE "C" NOT NULL,
  filters JSONB NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX saved_searches_by_workspace ON saved_searches (workspace_id, created_at, id);
