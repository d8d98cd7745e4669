import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { openEngine } from "../../src/adapters/storage/postgres/engine.ts";
import { createTestDatabase } from "../support/postgres.ts";

/** Runs on an engine whose pool has two connections. */
async function withEngine(
  use: (
    engine: ReturnType<typeof openEngine>,
    database: Awaited<ReturnType<typeof createTestDatabase>>,
  ) => Promise<void>,
): Promise<void> {
  const database = await createTestDatabase();
  const engine = openEngine(database.url, { poolSize: 2 });
  try {
    await use(engine, database);
  } finally {
    await engine.close();
    await database.release();
  }
}

test("a pool opens connections when it needs them, and counts what runs and what waits", async () => {
  await withEngine(async ({ orm, transact, poolUse }) => {
    expect(poolUse()).toEqual({ size: 2, open: 0, busy: 0, waiting: 0 });
    await orm.execute(sql`SELECT 1`);
    expect(poolUse()).toEqual({ size: 2, open: 1, busy: 0, waiting: 0 });
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const transaction = transact(async (connection) => {
      await connection.execute(sql`SELECT 1`);
      begun.resolve();
      await held.promise;
    });
    await begun.promise;
    expect(poolUse()).toEqual({ size: 2, open: 1, busy: 1, waiting: 0 });
    const statements = [1, 2, 3].map(() => orm.execute(sql`SELECT pg_sleep(0.05)`).then(() => {}));
    await Promise.resolve();
    expect(poolUse()).toEqual({ size: 2, open: 2, busy: 2, waiting: 2 });
    held.resolve();
    await Promise.all([transaction, ...statements]);
    expect(poolUse()).toEqual({ size: 2, open: 2, busy: 0, waiting: 0 });
  });
});

test("failed statements and transactions do not stay busy, and ended connections are not open", async () => {
  await withEngine(async ({ orm, transact, poolUse }, database) => {
    await expect(Promise.resolve(orm.execute(sql`SELECT 1 / 0`))).rejects.toThrow();
    const failing = transact(async () => {
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(poolUse()).toMatchObject({ busy: 0, waiting: 0 });
    await database.disconnect();
    while (poolUse().open > 0) await Bun.sleep(5);
    await orm.execute(sql`SELECT 1`);
    expect(poolUse()).toEqual({ size: 2, open: 1, busy: 0, waiting: 0 });
  });
});
