import { Database } from "bun:sqlite";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { expect, test } from "bun:test";
import { createIdempotencyStore } from "../../src/adapters/storage/sqlite/idempotency.ts";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { SharedRead } from "../../src/adapters/storage/sqlite/shared-read.ts";
import { sqliteConnection } from "../../src/adapters/storage/sqlite/connection.ts";
import { Writer } from "../../src/lib/group-commit/writer.ts";

const isNewIndex = ({ name }: { name: string }) => name.includes("idempotency_keys");

test("responses stored before the index was rebuilt are still replayed", async () => {
  using database = new Database(":memory:", { strict: true });
  migrate(database, migrations.slice(0, migrations.findIndex(isNewIndex)), 0);
  const ids = ["00".repeat(16), "ff".repeat(16), "0123456789abcdef".repeat(2), "fedcba9876543210".repeat(2)].map(
    (hex) => Uint8Array.fromHex(hex),
  );
  const insert = database.prepare(
    "INSERT INTO idempotent_requests (id, started_at, bytes, status) VALUES (?, 5, 2, ?)",
  );
  for (const [n, id] of ids.entries()) insert.run(id, 200 + n);
  migrate(database, migrations, 1);
  const writer = new Writer(sqliteConnection(database));
  const shared = new SharedRead(database);
  const store = createIdempotencyStore({ database, orm: drizzle(database), writer, shared });
  for (const [n, id] of ids.entries())
    expect(await store.find(id)).toMatchObject({ id, response: { status: 200 + n } });
  expect(await store.find(Uint8Array.fromHex("0123456789abc000".repeat(2)))).toBeNull();
  shared.end();
});
