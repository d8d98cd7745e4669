CREATE TABLE api_keys (
  id TEXT COLLATE "C" PRIMARY KEY,
  -- Null: a global key.
  workspace_id TEXT COLLATE "C" REFERENCES workspaces (id) ON DELETE CASCADE,
  user_id TEXT COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  permissions JSONB NOT NULL,
  requires_approval BOOLEAN NOT NULL,
  expires_at BIGINT,
  expires_in_days INTEGER,
  is_active BOOLEAN NOT NULL,
  usage_count BIGINT NOT NULL,
  last_used_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, created_at, id);
CREATE INDEX api_keys_by_member ON api_keys (user_id, workspace_id);
CREATE INDEX api_keys_by_expiry ON api_keys (expires_at) WHERE expires_at IS NOT NULL;

-- The expiry time that the owner of a key was last warned of.
CREATE TABLE key_warnings (
  key_id TEXT COLLATE "C" PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  expires_at BIGINT NOT NULL
);

ALTER TABLE credit_budgets ADD FOREIGN KEY (key_id) REFERENCES api_keys (id) ON DELETE CASCADE;

-- Tokens of sessions and links are stored as hashes. Both end when the secret of their key changes (key_hash).
CREATE TABLE sessions (
  id TEXT COLLATE "C" PRIMARY KEY,
  hash TEXT COLLATE "C" NOT NULL UNIQUE,
  key_id TEXT COLLATE "C" NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  key_hash TEXT NOT NULL,
  address TEXT,
  user_agent TEXT,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_by_key ON sessions (key_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE sign_in_links (
  hash TEXT COLLATE "C" PRIMARY KEY,
  key_id TEXT COLLATE "C" NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  key_hash TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX sign_in_links_by_key ON sign_in_links (key_id);
CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_at);

CREATE TABLE invitations (
  id TEXT COLLATE "C" PRIMARY KEY,
  workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  email_key TEXT COLLATE "C" NOT NULL,
  role TEXT NOT NULL,
  permissions JSONB,
  hash TEXT COLLATE "C" NOT NULL UNIQUE,
  invited_by TEXT COLLATE "C" REFERENCES users (id) ON DELETE SET NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  UNIQUE (workspace_id, email_key)
);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);

CREATE TABLE audit_log (
  seq BIGINT PRIMARY KEY,
  at BIGINT NOT NULL,
  action TEXT NOT NULL,
  -- Whom it concerns; null: no workspace in particular.
  workspace_id TEXT COLLATE "C",
  via TEXT NOT NULL CHECK (via IN ('api', 'commandLine', 'service')),
  -- The user of the key; null: a global key, or none.
  actor_id TEXT COLLATE "C",
  key_id TEXT COLLATE "C",
  key_name TEXT,
  address TEXT,
  user_agent TEXT,
  request_id TEXT,
  target_type TEXT,
  target_id TEXT COLLATE "C",
  -- JSON as text, because the hash covers the order of its names.
  details JSON NOT NULL,
  hash BYTEA NOT NULL CHECK (length(hash) = 32)
);
CREATE INDEX audit_log_by_workspace ON audit_log (workspace_id, seq);

-- The last entry that was deleted because of its age.
CREATE TABLE audit_start (
  only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
  seq BIGINT NOT NULL,
  hash BYTEA NOT NULL
);
-- The newest entry. Whoever appends locks this row first, so that the chain does not fork.
CREATE TABLE audit_end (
  only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
  seq BIGINT NOT NULL,
  hash BYTEA NOT NULL CHECK (length(hash) = 32)
);
INSERT INTO audit_end VALUES (1, 0, decode(repeat('00', 32), 'hex'));

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log can only be appended to';
END $$;
CREATE TRIGGER audit_log_is_fixed BEFORE UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_end_stays BEFORE DELETE ON audit_end FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_end_goes_on BEFORE UPDATE ON audit_end
  FOR EACH ROW WHEN (NEW.seq <= OLD.seq) EXECUTE FUNCTION refuse_audit_change();

CREATE FUNCTION refuse_audit_gap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM audit_log WHERE seq < (SELECT max(seq) FROM gone)) THEN
    RAISE EXCEPTION 'only the oldest entries of the audit log can be deleted';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_log_from_its_beginning AFTER DELETE ON audit_log
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_gap();
