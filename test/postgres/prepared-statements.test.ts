import { expect, test } from "bun:test";
import { eq, inArray, sql } from "drizzle-orm";
import { openEngine, type Connection } from "../../src/adapters/storage/postgres/engine.ts";
import { workspaces } from "../../src/adapters/storage/postgres/tables.ts";
import { createTestDatabase } from "../support/postgres.ts";

/** Runs `work` on an engine with one connection, and returns the texts of what that connection has prepared. */
async function preparedBy(work: (orm: Connection) => Promise<void>, options = {}): Promise<string[]> {
  const database = await createTestDatabase();
  const engine = openEngine(database.url, { poolSize: 1, ...options });
  try {
    await work(engine.orm);
    // The driver prepares one of its own.
    const rows = await engine.orm.execute<{ statement: string }>(
      sql`SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%workspaces%'`,
    );
    return rows.map(({ statement }) => statement);
  } finally {
    await engine.close();
    await database.release();
  }
}

const find = (orm: Connection, seq: number) =>
  orm.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.seq, seq));

test("a statement is prepared from its second use on, once", async () => {
  expect(await preparedBy(async (orm) => void (await find(orm, 1)))).toEqual([]);
  const prepared = await preparedBy(async (orm) => {
    for (let n = 0; n < 3; n++) await find(orm, n);
  });
  expect(prepared).toEqual(['select "id" from "workspaces" where "workspaces"."seq" = $1']);
});

test("at most 500 statements are prepared, however many texts there are", async () => {
  const prepared = await preparedBy(async (orm) => {
    for (let length = 1; length <= 600; length++)
      for (let n = 0; n < 2; n++)
        await orm
          .select({ id: workspaces.id })
          .from(workspaces)
          .where(
            inArray(
              workspaces.seq,
              Array.from({ length }, (_, seq) => seq),
            ),
          );
  });
  expect(prepared).toHaveLength(500);
}, 60_000);

test("nothing is prepared if poolers cannot", async () => {
  const prepared = await preparedBy(
    async (orm) => {
      for (let n = 0; n < 3; n++) await find(orm, n);
    },
    { prepare: false },
  );
  expect(prepared).toEqual([]);
});
