-- Credits. A request reserves what it may cost (a negative row), each item that brought something is settled (a negative
-- row, once for a request and item) while its share of the reservation is released (a positive row), and what is left
-- is released at the end. So the balance, the sum of the rows, is at any moment what can still be spent.
ALTER TABLE credit_ledger ADD COLUMN purpose TEXT;
ALTER TABLE credit_ledger ADD COLUMN request TEXT;
ALTER TABLE credit_ledger ADD COLUMN item TEXT;
ALTER TABLE credit_ledger ADD COLUMN key_id TEXT;
DROP INDEX credit_ledger_by_user;
CREATE INDEX credit_ledger_by_user ON credit_ledger (user_id, created_at, id);
-- What makes a retry charge, refund or grant nothing a second time.
CREATE UNIQUE INDEX credit_ledger_once ON credit_ledger (user_id, request, item, kind) WHERE item IS NOT NULL;

-- Sums of the ledger, kept in step by triggers, so that no way of writing rows can leave them behind.
CREATE TABLE credit_balances (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  balance INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO credit_balances SELECT user_id, sum(amount) FROM credit_ledger GROUP BY user_id;
CREATE TRIGGER credit_ledger_balance AFTER INSERT ON credit_ledger BEGIN
  INSERT INTO credit_balances VALUES (new.user_id, new.amount)
    ON CONFLICT DO UPDATE SET balance = balance + excluded.balance;
END;
-- What each key took in a month (year * 100 + month, UTC).
CREATE TABLE credit_key_months (
  key_id TEXT NOT NULL,
  month INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (key_id, month)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER credit_ledger_key AFTER INSERT ON credit_ledger WHEN new.key_id IS NOT NULL BEGIN
  INSERT INTO credit_key_months
    VALUES (new.key_id, CAST(strftime('%Y%m', new.created_at / 1000, 'unixepoch') AS INTEGER), -new.amount)
    ON CONFLICT DO UPDATE SET used = used + excluded.used;
END;
CREATE TABLE credit_budgets (
  key_id TEXT PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  monthly INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- held is what is reserved and neither settled nor released yet; null held_until: given back.
CREATE TABLE credit_reservations (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  request TEXT NOT NULL,
  purpose TEXT NOT NULL,
  key_id TEXT,
  job_id TEXT,
  held INTEGER NOT NULL,
  held_until INTEGER,
  UNIQUE (user_id, request)
) STRICT, WITHOUT ROWID;
CREATE INDEX credit_reservations_open ON credit_reservations (held_until) WHERE held_until IS NOT NULL;

-- What enrichments found, to serve repeats from; fields is a JSON object. Found by hashes of what identified the person
-- in the request, as leads are (lead_keys).
CREATE TABLE enrichment_results (
  n INTEGER PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (seq) ON DELETE CASCADE,
  email TEXT,
  network TEXT,
  name TEXT,
  groups TEXT NOT NULL,
  fields TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX enrichment_results_by_age ON enrichment_results (at);
CREATE TABLE enrichment_result_keys (
  key INTEGER NOT NULL,
  result INTEGER NOT NULL REFERENCES enrichment_results (n) ON DELETE CASCADE,
  PRIMARY KEY (key, result)
) STRICT, WITHOUT ROWID;
CREATE INDEX enrichment_result_keys_by_result ON enrichment_result_keys (result);

-- The leads of a data_enrichment job; outcome is null until it is done.
CREATE TABLE enrichment_items (
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  input TEXT NOT NULL,
  outcome TEXT,
  PRIMARY KEY (job_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE enrichment_settings (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  providers TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What a provider took of its own credits in a month (year * 100 + month, UTC).
CREATE TABLE provider_spending (
  provider TEXT NOT NULL,
  month INTEGER NOT NULL,
  spent REAL NOT NULL,
  PRIMARY KEY (provider, month)
) STRICT, WITHOUT ROWID;

-- Which leads have an address at a domain, or work for a company: hashes of owner and either, as hints that may be stale.
-- Filled in the background behind the leads; lead_hints_done tells how far (src/storage/sqlite/lead-hints.ts).
CREATE TABLE lead_hints (
  key INTEGER NOT NULL,
  lead INTEGER NOT NULL,
  PRIMARY KEY (key, lead)
) STRICT, WITHOUT ROWID;
CREATE TABLE lead_hints_done (
  owner INTEGER PRIMARY KEY REFERENCES users (seq) ON DELETE CASCADE,
  updated_at INTEGER NOT NULL,
  lead INTEGER NOT NULL
) STRICT;
