import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { openEngine } from "../../src/adapters/storage/postgres/engine.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

// The driver is patched (patches/): it used to send a statement of a transaction whose connection was lost over the
// closed connection, which ended the process, or over the one that had replaced it, outside of any transaction. If a new
// connection was closed before it worked, it connected again without a pause or an end, while the statement waited.

async function createWorld(poolSize: number) {
  const database = await createTestDatabase();
  const url = new URL(database.url);
  const proxy = await startTcpProxy(Number(url.port));
  url.port = `${proxy.port}`;
  const engine = openEngine(url.href, { poolSize });
  return {
    engine,
    proxy,
    async [Symbol.asyncDispose]() {
      await engine.close();
      await proxy[Symbol.asyncDispose]();
      await database.release();
    },
  };
}

test("a transaction whose connection is lost executes nothing afterwards, not even on the next connection", async () => {
  await using world = await createWorld(1);
  const { engine, proxy } = world;
  await engine.orm.execute(sql`CREATE TABLE lost (n INTEGER)`);
  try {
    const [isOpen, mayContinue] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = Promise.withResolvers<unknown>();
    const transaction = engine.transact(async (connection) => {
      await connection.execute(sql`INSERT INTO lost VALUES (1)`);
      isOpen.resolve();
      await mayContinue.promise;
      const statement = Promise.resolve(connection.execute(sql`INSERT INTO lost VALUES (2)`));
      late.resolve(statement.then(() => "executed").catch(() => "refused"));
      await statement;
    });
    await isOpen.promise;
    proxy.refuse();
    await expect(transaction).rejects.toThrow();
    proxy.recover();
    while ((await engine.orm.execute(sql`SELECT 1`).catch(() => null)) === null) await Bun.sleep(10);
    mayContinue.resolve();
    expect(await late.promise).toBe("refused");
    expect([...(await engine.orm.execute(sql`SELECT n FROM lost`))]).toEqual([]);
  } finally {
    await engine.orm.execute(sql`DROP TABLE lost`);
  }
});

test("connections that are cut while they are busy work again, all of them", async () => {
  await using world = await createWorld(4);
  const { engine, proxy } = world;
  let isBusy = true;
  const load = Array.from({ length: 12 }, async (_, n) => {
    while (isBusy)
      await (
        n % 2 === 0
          ? engine.orm.execute(sql`SELECT pg_sleep(0.002)`)
          : engine.transact(async (connection) => {
              await connection.execute(sql`SELECT 1`);
              await connection.execute(sql`SELECT pg_sleep(0.002)`);
            })
      ).then(
        () => {},
        () => Bun.sleep(1),
      );
  });
  for (let cuts = 0; cuts < 30; cuts++) {
    await Bun.sleep(10);
    proxy.refuse();
    await Bun.sleep(2);
    proxy.recover();
  }
  isBusy = false;
  await Promise.all(load);
  const all = Array.from({ length: 4 }, () =>
    engine.transact(async (connection) => {
      await connection.execute(sql`SELECT pg_sleep(0.1)`);
      return engine.poolUse().busy;
    }),
  );
  expect(await Promise.all(all)).toContain(4);
}, 60_000);

test("statements fail while a proxy closes each new connection, and work as soon as it forwards them", async () => {
  await using world = await createWorld(1);
  const { engine, proxy } = world;
  proxy.refuse();
  const startedAt = performance.now();
  for (let n = 0; n < 4; n++) await expect(Promise.resolve(engine.orm.execute(sql`SELECT 1`))).rejects.toThrow();
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  proxy.recover();
  expect([...(await engine.orm.execute(sql`SELECT 1 AS one`))]).toEqual([{ one: 1 }]);
});
