import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { auditEntry } from "../../src/audit/entry.ts";
import { AuditService } from "../../src/audit/service.ts";
import { openSqliteStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { createLog } from "../../src/log.ts";
import { FakeClock } from "../support/clock.ts";

/** A log of four entries that somebody has changed behind the back of the service; what its check says then. */
async function checkedAfter(...statements: string[]) {
  const directory = await mkdtemp(join(tmpdir(), "outreachd-audit-"));
  const path = join(directory, "outreachd.db");
  const clock = new FakeClock();
  const storage = openSqliteStorage(path, clock);
  try {
    for (const id of ["a", "b", "c", "d"])
      await storage.audit.append(
        auditEntry(null, clock.now(), { action: "key.deleted", userId: null, target: { type: "key", id } }),
      );
    using other = new Database(path);
    for (const statement of statements) other.run(statement);
    return await new AuditService(storage.audit, clock, 0, createLog("silent")).verify();
  } finally {
    await storage.close();
    await rm(directory, { recursive: true, force: true });
  }
}

const unlock = ["DROP TRIGGER audit_log_fixed", "DROP TRIGGER audit_log_from_its_beginning"];

test("an untouched log is whole", async () => {
  const check = await checkedAfter();
  expect(check).toMatchObject({ isWhole: true, entries: 4, brokenAt: null, lastId: 4 });
  expect(check.lastHash).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ["changed", "UPDATE audit_log SET target_id = 'x' WHERE seq = 2", 2],
  ["taken out", "DELETE FROM audit_log WHERE seq = 3", 4],
  ["cut off at the beginning", "DELETE FROM audit_log WHERE seq = 1", 2],
  ["moved in time", "UPDATE audit_log SET at = at - 1 WHERE seq = 4", 4],
])("an entry that was %s breaks the chain", async (_what, statement, brokenAt) => {
  expect(await checkedAfter(...unlock, statement)).toMatchObject({ isWhole: false, brokenAt });
});

test.each(["UPDATE audit_log SET target_id = 'x' WHERE seq = 2", "DELETE FROM audit_log WHERE seq = 2"])(
  "the database itself refuses: %s",
  async (statement) => {
    expect(checkedAfter(statement)).rejects.toThrow("audit log");
  },
);
