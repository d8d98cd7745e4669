import { sql } from "drizzle-orm";
import { openEngine, type Engine } from "../../src/adapters/storage/postgres/engine.ts";
import { openPostgresStorage } from "../../src/adapters/storage/postgres/postgres-storage.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { FakeClock } from "./clock.ts";
import { createFactories } from "./factories.ts";
import { createTestDatabase } from "./postgres.ts";

export type Nodes = Awaited<ReturnType<typeof openNodes>>;

/** Two nodes on one database, and a user. `engine`: for what a test does inside a transaction of its own. */
export async function openNodes() {
  const database = await createTestDatabase();
  const clock = new FakeClock();
  const engine = openEngine(database.url, { poolSize: 3 });
  const [first, second]: [Storage, Storage] = [
    await openPostgresStorage(database.url, clock),
    await openPostgresStorage(database.url, clock),
  ];
  const make = createFactories();
  const { user } = await make.storedUser(first);
  return {
    url: database.url,
    first,
    second,
    engine,
    make,
    workspaceId: user.id,
    either: (n: number): Storage => (n % 2 === 0 ? first : second),
    /** Runs `first` on an engine whose transaction ends only when the action waits for it. */
    async whileOpen<T>(first: (engine: Engine) => Promise<unknown>, action: () => Promise<T>): Promise<T> {
      const isDone = Promise.withResolvers<void>();
      const transact: Engine["transact"] = (work) =>
        engine.transact(async (connection) => {
          const outcome = await work(connection);
          isDone.resolve();
          await untilSomebodyWaits(engine);
          return outcome;
        });
      const holding = first({ ...engine, transact });
      await Promise.race([isDone.promise, holding]);
      const running = action();
      await holding;
      return await running;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([engine.close(), first.close(), second.close()]);
      await database.release();
    },
  };
}

/** Resolves once some connection waits for a lock that another one holds. */
async function untilSomebodyWaits({ orm }: Engine): Promise<void> {
  for (;;) {
    const rows = await orm.execute(sql`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`);
    if (rows.length > 0) return;
    await Bun.sleep(5);
  }
}
