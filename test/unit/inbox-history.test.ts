import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { conversationId } from "../../src/features/network/message-ids.ts";

const ada = "https://network.example/in/ada";

/** A database of the release before there were conversations. */
function oldDatabase(): Database {
  const database = new Database(":memory:", { strict: true });
  migrate(
    database,
    migrations.filter(({ number }) => number < 43),
    0,
  );
  database.run(
    "INSERT INTO users (seq, id, email, email_key, role, time_zone, is_active, created_at, updated_at) VALUES (1, 'u', 'a@b.c', 'a@b.c', 'admin', 'UTC', 1, 0, 0)",
  );
  database.run(
    "INSERT OR IGNORE INTO workspaces (seq, id, name, time_zone, created_at, updated_at) VALUES (1, 'w', 'W', 'UTC', 0, 0)",
  );
  database.run(`INSERT INTO network_accounts (seq, id, workspace_id, name, connector, connector_settings, tier, time_zone,
    working_hours, caps, spacing, jitter_percent, state, requires_approval, created_at, updated_at)
    VALUES (7, 'acc', 'w', 'default', 'manual', '{}', 'free', 'UTC', '[]', '{}', '{}', 0, 'active', 0, 0, 0)`);
  return database;
}

function addAction(
  database: Database,
  id: string,
  type: string,
  state: string,
  message: string | null,
  at: number,
): void {
  database
    .query(
      `INSERT INTO jobs (id, workspace_id, type, status, run_at, attempt, failures, max_attempts, message, progress, metadata,
         payload, created_at, updated_at) VALUES (?, 'w', 'linkedin_action', 'completed', 0, 1, 0, 5, '', 100, '{}', '{}', ?, ?)`,
    )
    .run(id, at, at);
  database
    .query(
      `INSERT INTO network_actions (job_id, workspace_id, account, action_type, meter, has_note, profile_url, profile_key,
         target_key, message, details, state, used, slot_at, not_before, draw, created_at, updated_at, may_be_open)
       VALUES (?1, 'w', 7, ?2, 1, 0, ?3, ?3, ?3, ?5, '{}', ?4, 1, ?6, 0, 0.5, ?6, ?6, 0)`,
    )
    .run(id, type, ada, state, message, at);
}

test("an upgrade makes conversations of what was sent and answered before", () => {
  using database = oldDatabase();
  addAction(database, "j1", "sendConnectionRequest", "completed", "Hi Ada", 1000);
  addAction(database, "j2", "sendConnectionRequest", "completed", null, 1500);
  addAction(database, "j3", "sendMessage", "failed", "Did not arrive", 2000);
  addAction(database, "j4", "sendMessage", "canceled", "Never sent", 2500);
  addAction(database, "j5", "sendMessage", "scheduled", "Soon", 4000);
  database.run(
    `INSERT INTO events (owner, type, at, account_id, data) VALUES (1, 'message.replied', 3000, 'acc', '{"text":"Tell me more","profileUrl":"${ada}"}')`,
  );
  migrate(database, migrations, 1);
  expect(database.query("SELECT * FROM conversations").all()).toMatchObject([
    {
      ...{ id: conversationId("acc", ada), workspace_id: "w", account: 7, profile_key: ada, unread: 0 },
      ...{ last_at: 3000, last_state: "received", last_text: "Tell me more", received_at: 3000 },
    },
  ]);
  const messages = database.query("SELECT kind, state, text FROM messages ORDER BY at").all();
  expect(messages).toEqual([
    { kind: "connectionRequest", state: "sent", text: "Hi Ada" },
    { kind: "message", state: "failed", text: "Did not arrive" },
    { kind: "message", state: "received", text: "Tell me more" },
    { kind: "message", state: "queued", text: "Soon" },
  ]);
  const words = database.query("SELECT rowid FROM inbox_words WHERE inbox_words MATCH 'words : more'").all();
  expect(words).toHaveLength(1);
});
