-- Mail to users. dedupe: names what a mail is about, so that it is queued once. body: null once the mail has ended, because it
-- may contain a link that signs in.
CREATE TABLE mail_outbox (
  id TEXT PRIMARY KEY,
  dedupe TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT,
  state TEXT NOT NULL,
  tries INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  reason TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX mail_outbox_due ON mail_outbox (due_at) WHERE state = 'pending';
CREATE INDEX mail_outbox_by_age ON mail_outbox (created_at, id);
CREATE INDEX mail_outbox_by_user ON mail_outbox (user_id);

-- Kinds of notifications that a user turned on or off; a kind that is missing has its default.
CREATE TABLE mail_preferences (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  kinds TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- Notifications of events up to this one are queued. Without a row, they begin with the next event.
CREATE TABLE mail_position (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), event INTEGER NOT NULL) STRICT;
