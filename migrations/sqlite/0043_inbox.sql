-- What an account and a person have written to each other. The last_ columns describe the newest message that was sent or
-- received, or if there is none, one that is queued.
CREATE TABLE conversations (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  account INTEGER NOT NULL REFERENCES network_accounts (seq) ON DELETE CASCADE,
  profile_key TEXT NOT NULL,
  profile_url TEXT NOT NULL,
  person_name TEXT,
  lead_id TEXT,
  -- Messages of the person that nobody has read: those after the message with the number read_to.
  unread INTEGER NOT NULL,
  read_to INTEGER NOT NULL,
  assigned_to TEXT,
  label TEXT,
  snoozed_until INTEGER,
  last_at INTEGER NOT NULL,
  last_state TEXT NOT NULL,
  last_text TEXT,
  -- When the person last wrote.
  received_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (account, profile_key)
) STRICT;
CREATE INDEX conversations_listed ON conversations (workspace_id, last_at, id);
CREATE INDEX conversations_replied ON conversations (workspace_id, last_at, id) WHERE received_at IS NOT NULL;
CREATE INDEX conversations_unread ON conversations (workspace_id, last_at, id, assigned_to) WHERE unread > 0;
CREATE INDEX conversations_assigned ON conversations (workspace_id, assigned_to, last_at, id)
  WHERE assigned_to IS NOT NULL;
CREATE INDEX conversations_labeled ON conversations (workspace_id, label, last_at, id) WHERE label IS NOT NULL;
CREATE INDEX conversations_snoozed ON conversations (workspace_id, snoozed_until) WHERE snoozed_until IS NOT NULL;
CREATE INDEX conversations_of_account ON conversations (account, last_at, id);
CREATE INDEX conversations_of_person ON conversations (profile_key);
CREATE INDEX conversations_of_lead ON conversations (lead_id) WHERE lead_id IS NOT NULL;

-- The ID of an outgoing message is that of its action; that of an incoming one is derived from what the network reports,
-- so that each is stored once. at: when it was sent; of queued ones, the end of time.
CREATE TABLE messages (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  conversation INTEGER NOT NULL REFERENCES conversations (seq) ON DELETE CASCADE,
  profile_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  -- Null if the network does not provide it, or once it was deleted.
  text TEXT,
  at INTEGER NOT NULL,
  user_id TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_in_order ON messages (conversation, at, seq);
CREATE INDEX messages_received ON messages (conversation, seq) WHERE state = 'received';
CREATE INDEX messages_of_person ON messages (profile_key);
CREATE INDEX messages_with_text ON messages (at) WHERE text IS NOT NULL;

-- Words of messages, and of the names of people under the negative number of their conversation. scope: the workspace.
CREATE VIRTUAL TABLE inbox_words USING fts5 (
  scope, words, content = '', columnsize = 0, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3'
);
CREATE TRIGGER messages_add_words AFTER INSERT ON messages WHEN new.text IS NOT NULL AND new.state <> 'queued' BEGIN
  INSERT INTO inbox_words (rowid, scope, words) VALUES (new.seq, hex(new.workspace_id), new.text);
END;
CREATE TRIGGER messages_remove_words AFTER DELETE ON messages WHEN old.text IS NOT NULL AND old.state <> 'queued' BEGIN
  INSERT INTO inbox_words (inbox_words, rowid, scope, words) VALUES ('delete', old.seq, hex(old.workspace_id), old.text);
END;
CREATE TRIGGER messages_change_words AFTER UPDATE OF text, state, workspace_id ON messages
  WHEN old.text IS NOT new.text OR old.state <> new.state OR old.workspace_id <> new.workspace_id
BEGIN
  INSERT INTO inbox_words (inbox_words, rowid, scope, words)
    SELECT 'delete', old.seq, hex(old.workspace_id), old.text WHERE old.text IS NOT NULL AND old.state <> 'queued';
  INSERT INTO inbox_words (rowid, scope, words)
    SELECT new.seq, hex(new.workspace_id), new.text WHERE new.text IS NOT NULL AND new.state <> 'queued';
END;
CREATE TRIGGER conversations_add_words AFTER INSERT ON conversations WHEN new.person_name IS NOT NULL BEGIN
  INSERT INTO inbox_words (rowid, scope, words) VALUES (-new.seq, hex(new.workspace_id), new.person_name);
END;
CREATE TRIGGER conversations_remove_words AFTER DELETE ON conversations WHEN old.person_name IS NOT NULL BEGIN
  INSERT INTO inbox_words (inbox_words, rowid, scope, words)
    VALUES ('delete', -old.seq, hex(old.workspace_id), old.person_name);
END;
CREATE TRIGGER conversations_change_words AFTER UPDATE OF person_name, workspace_id ON conversations
  WHEN old.person_name IS NOT new.person_name OR old.workspace_id <> new.workspace_id
BEGIN
  INSERT INTO inbox_words (inbox_words, rowid, scope, words)
    SELECT 'delete', -old.seq, hex(old.workspace_id), old.person_name WHERE old.person_name IS NOT NULL;
  INSERT INTO inbox_words (rowid, scope, words)
    SELECT -new.seq, hex(new.workspace_id), new.person_name WHERE new.person_name IS NOT NULL;
END;

-- Texts for replies.
CREATE TABLE snippets (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX snippets_by_name ON snippets (workspace_id, name);

-- Replies of people are sent before other actions of their account.
ALTER TABLE network_actions ADD COLUMN is_urgent INTEGER NOT NULL DEFAULT 0;
