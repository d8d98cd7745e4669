import { expect, test } from "bun:test";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import { openPostgresStorage } from "../../src/adapters/storage/postgres/postgres-storage.ts";
import { migrations } from "../../src/adapters/storage/postgres/migrate.ts";
import { conversationId } from "../../src/features/network/message-ids.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { actionEnd, claimAction, claimOf } from "../support/factories.ts";
import { withScheduled } from "../support/network-actions.ts";
import { createTestDatabase } from "../support/postgres.ts";

test("an upgrade makes conversations of what was sent and answered before", async () => {
  const database = await createTestDatabase();
  const storage = await openPostgresStorage(database.url, new FakeClock());
  const client = connect(database.url, { poolSize: 1 });
  try {
    const profileUrl = "https://network.example/in/ada";
    const action = { actionType: "sendMessage", message: "Hi Ada", profileUrl } as const;
    const { account } = await withScheduled(storage, {}, action);
    const due = await claimAction(storage, startOfTests);
    await storage.network.endAction(claimOf(due.job), actionEnd({ at: startOfTests }));
    const news = { profileKey: profileUrl, kind: "replied", at: startOfTests + 1, text: "Tell me more" } as const;
    await storage.network.noteNews(account.id, [news], startOfTests + 1);
    // As the release before left it.
    await client`DELETE FROM conversations`;
    await client`DELETE FROM events WHERE type = 'message.received'`;
    const migration = migrations.find(({ name }) => name === "0026_inbox_history.sql")!;
    await client.begin(async (transaction) => void (await transaction.unsafe(migration.sql)));
    const page = { workspaceId: account.workspaceId, limit: 9, after: null, now: startOfTests };
    expect(await storage.inbox.conversations({ ...page, filter: { words: ["tell"] } })).toMatchObject([
      {
        ...{ id: conversationId(account.id, profileUrl), unread: 0, lastState: "received", lastText: "Tell me more" },
        receivedAt: startOfTests + 1,
      },
    ]);
    const id = conversationId(account.id, profileUrl);
    const stored = await storage.inbox.messages(account.workspaceId, id, 9, null);
    expect(stored.map(({ state, text }) => `${state}: ${text}`)).toEqual(["received: Tell me more", "sent: Hi Ada"]);
  } finally {
    await client.end();
    await storage.close();
    await database.release();
  }
});
