import { expect, test } from "bun:test";
import { openEngine } from "../../src/adapters/storage/sqlite/engine.ts";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { createAccountRows, insertAccountRow } from "../../src/adapters/storage/sqlite/network-accounts.ts";
import { startOfTests } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

test("what is kept in memory of accounts is forgotten with a unit that is rolled back", async () => {
  const { engine, rows, account } = await createRows();
  const unit = engine.writer.write(() => {
    const record = rows.byId(account.id)!;
    rows.disconnect(record.seq, "Signed out", startOfTests);
    expect(rows.byId(account.id)?.account.state).toBe("needsReconnect");
    throw new Error("The disk is full");
  });
  await expect(unit).rejects.toThrow("full");
  expect(rows.byId(account.id)?.account).toEqual(account);
});

test("an account that was inserted by a unit that is rolled back is nobody else's afterwards", async () => {
  const { engine, rows, account, make } = await createRows();
  const [lost, next] = [make.account(account.workspaceId), make.account(account.workspaceId)];
  const unit = engine.writer.write(() => {
    insertAccountRow(engine, lost);
    expect(rows.byId(lost.id)?.account).toEqual(lost);
    throw new Error("The disk is full");
  });
  await expect(unit).rejects.toThrow("full");
  await engine.writer.write(() => insertAccountRow(engine, next));
  expect(rows.byId(lost.id)).toBeNull();
  expect(rows.byId(next.id)?.account).toEqual(next);
});

async function createRows() {
  const engine = openEngine(":memory:");
  migrate(engine.database, migrations, 1);
  const make = createFactories();
  const { id } = make.user();
  engine.database.run(
    "INSERT INTO workspaces (id, name, time_zone, created_at, updated_at) VALUES (?, 'Sales', 'UTC', 1, 1)",
    [id],
  );
  const account = make.account(id);
  await engine.writer.write(() => insertAccountRow(engine, account));
  return { engine, rows: createAccountRows(engine), account, make };
}
