-- Credits. A request reserves what it may cost (a negative row), each item that brought something is settled (a negative
-- row, once for a request and item) while its share of the reservation is released (a positive row), and what is left
-- is released at the end. So the balance, the sum of the rows, is at any moment what can still be spent.
CREATE TABLE credit_ledger (
  id TEXT COLLATE "C" PRIMARY KEY,
  workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  kind TEXT COLLATE "C" NOT NULL,
  amount BIGINT NOT NULL,
  note TEXT,
  created_at BIGINT NOT NULL,
  purpose TEXT COLLATE "C",
  request TEXT COLLATE "C",
  item TEXT COLLATE "C",
  key_id TEXT COLLATE "C"
);
CREATE INDEX credit_ledger_by_workspace ON credit_ledger (workspace_id, created_at, id);
-- What makes a retry charge, refund or grant nothing a second time.
CREATE UNIQUE INDEX credit_ledger_once ON credit_ledger (workspace_id, request, item, kind) WHERE item IS NOT NULL;

-- Sums of the ledger, changed in the transaction that appends to it. Who decides by a balance locks its row.
CREATE TABLE credit_balances (
  workspace_id TEXT COLLATE "C" PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  balance BIGINT NOT NULL
);
-- What each key took in a month (year * 100 + month, UTC).
CREATE TABLE credit_key_months (
  key_id TEXT COLLATE "C" NOT NULL,
  month INTEGER NOT NULL,
  used BIGINT NOT NULL,
  PRIMARY KEY (key_id, month)
);
CREATE TABLE credit_budgets (
  key_id TEXT COLLATE "C" PRIMARY KEY,
  monthly BIGINT NOT NULL,
  -- The most that the owner of the key can set; null if no admin has set a budget.
  ceiling BIGINT
);

-- held is what is reserved and neither settled nor released yet; null held_until: given back.
CREATE TABLE credit_reservations (
  id TEXT COLLATE "C" PRIMARY KEY,
  workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  request TEXT COLLATE "C" NOT NULL,
  purpose TEXT COLLATE "C" NOT NULL,
  key_id TEXT COLLATE "C",
  job_id TEXT COLLATE "C",
  held BIGINT NOT NULL,
  held_until BIGINT,
  UNIQUE (workspace_id, request)
);
CREATE INDEX credit_reservations_open ON credit_reservations (held_until) WHERE held_until IS NOT NULL;

CREATE INDEX campaign_enrollments_in_order ON campaign_enrollments (campaign_id, id);
