-- Mail to users. dedupe: names what a mail is about, so that it is queued once. body: null once the mail has ended, because it
-- may contain a link that signs in.
CREATE TABLE mail_outbox (
  id TEXT COLLATE "C" PRIMARY KEY,
  dedupe TEXT COLLATE "C" NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  user_id TEXT COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT,
  state TEXT NOT NULL,
  tries INTEGER NOT NULL,
  due_at BIGINT NOT NULL,
  reason TEXT,
  created_at BIGINT NOT NULL,
  ended_at BIGINT
);
CREATE INDEX mail_outbox_due ON mail_outbox (due_at) WHERE state = 'pending';
CREATE INDEX mail_outbox_by_age ON mail_outbox (created_at, id);
CREATE INDEX mail_outbox_by_user ON mail_outbox (user_id);

-- Kinds of notifications that a user turned on or off; a kind that is missing has its default.
CREATE TABLE mail_preferences (
  user_id TEXT COLLATE "C" PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  kinds JSONB NOT NULL,
  updated_at BIGINT NOT NULL
);

-- Notifications of events up to this one are queued. Without a row, they begin with the next event.
CREATE TABLE mail_position (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), event BIGINT NOT NULL);
