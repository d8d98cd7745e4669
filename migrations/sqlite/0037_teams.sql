-- A workspace owns what a user owned; a user is a person, who can be a member of several workspaces. Whoever was a user
-- has a workspace with the same ID and number, so that nothing they own moves.
ALTER TABLE users RENAME TO workspaces;

CREATE TABLE users (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  -- The form in which addresses are compared.
  email_key TEXT NOT NULL UNIQUE,
  name TEXT,
  -- In the installation; the role in a workspace is that of the member.
  role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
  time_zone TEXT NOT NULL,
  is_active INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
INSERT INTO users (seq, id, email, email_key, name, role, time_zone, created_at, updated_at)
  SELECT seq, id, email, lower(email), name, role, time_zone, created_at, updated_at FROM workspaces;

CREATE TABLE workspaces_without_address (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
INSERT INTO workspaces_without_address (seq, id, name, time_zone, created_at, updated_at)
  SELECT seq, id, coalesce(name, email), time_zone, created_at, updated_at FROM workspaces;
DROP TABLE workspaces;
ALTER TABLE workspaces_without_address RENAME TO workspaces;

-- permissions: a list, for the role custom only.
CREATE TABLE members (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL,
  permissions TEXT,
  is_active INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_by_user ON members (user_id);
INSERT INTO members (workspace_id, user_id, role, created_at, updated_at)
  SELECT id, id, 'owner', created_at, updated_at FROM users;

-- Null for a global key, as workspace_id.
ALTER TABLE api_keys ADD COLUMN user_id TEXT REFERENCES users (id) ON DELETE CASCADE;
UPDATE api_keys SET user_id = workspace_id;
CREATE INDEX api_keys_by_member ON api_keys (user_id, workspace_id);
