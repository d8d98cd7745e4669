import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import { AuditService } from "../../src/platform/auth/audit/service.ts";
import { openSqliteStorage } from "../../src/adapters/storage/sqlite/sqlite-storage.ts";
import { createLog } from "../../src/platform/base/log.ts";
import { FakeClock } from "../support/clock.ts";

/** A log of four entries that somebody has changed behind the back of the service; what its check says then. */
async function checkedAfter(...statements: string[]) {
  return changed(statements, async (service) => service.verify());
}

type Place = { seq: number; hash: Uint8Array };

async function changed<T>(
  statements: string[],
  look: (service: AuditService, hashes: Place[]) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "outreachd-audit-"));
  const path = join(directory, "outreachd.db");
  const clock = new FakeClock();
  const storage = openSqliteStorage(path, clock);
  try {
    for (const id of ["a", "b", "c", "d"])
      await storage.audit.append(
        auditEntry(null, clock.now(), { action: "key.deleted", workspaceId: null, target: { type: "key", id } }),
      );
    using other = new Database(path);
    const places = other.query<Place, []>("SELECT seq, hash FROM audit_log ORDER BY seq").all();
    for (const statement of statements) other.run(statement);
    return await look(new AuditService(storage.audit, clock, 0, createLog("silent")), places);
  } finally {
    await storage.close();
    await rm(directory, { recursive: true, force: true });
  }
}

const unlock = [
  "DROP TRIGGER audit_log_fixed",
  "DROP TRIGGER audit_log_from_its_beginning",
  "DROP TRIGGER audit_end_goes_on",
  "DROP TRIGGER audit_end_stays",
];

test("an untouched log is whole", async () => {
  const check = await checkedAfter();
  expect(check).toMatchObject({ isIntact: true, entries: 4, brokenAt: null, lastId: 4 });
  expect(check.lastHash).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ["changed", "UPDATE audit_log SET target_id = 'x' WHERE seq = 2", 2],
  ["taken out", "DELETE FROM audit_log WHERE seq = 3", 4],
  ["cut off at the beginning", "DELETE FROM audit_log WHERE seq = 1", 2],
  ["moved in time", "UPDATE audit_log SET at = at - 1 WHERE seq = 4", 4],
  ["cut off at the end", "DELETE FROM audit_log WHERE seq = 4", 4],
  ["cut off with all others", "DELETE FROM audit_log", 1],
  ["left without its end", "DELETE FROM audit_end", 5],
])("an entry that was %s breaks the chain", async (_what, statement, brokenAt) => {
  expect(await checkedAfter(...unlock, statement)).toMatchObject({ isIntact: false, brokenAt });
});

test.each([
  "UPDATE audit_log SET target_id = 'x' WHERE seq = 2",
  "DELETE FROM audit_log WHERE seq = 2",
  "DELETE FROM audit_log WHERE seq = 4",
  "UPDATE audit_end SET seq = 3",
  "DELETE FROM audit_end",
])("the database itself refuses: %s", async (statement) => {
  expect(checkedAfter(statement)).rejects.toThrow("audit log");
});

test.each(["DELETE FROM audit_log WHERE seq = 4", "DELETE FROM audit_end"])(
  "what is written behind it does not cover up: %s",
  async (statement) => {
    const cut = [...unlock, statement];
    const check = await changed(cut, async (service) => {
      await service.note(null, { action: "risk.accepted", workspaceId: null });
      return service.verify();
    });
    expect(check.isIntact).toBe(false);
  },
);

test("who has kept an entry elsewhere also notices a log that was written anew to its end", async () => {
  const anew = [...unlock, "DELETE FROM audit_log WHERE seq = 4"];
  const moveBack = "UPDATE audit_end SET (seq, hash) = (SELECT seq, hash FROM audit_log WHERE seq = 3)";
  const standings = await changed([...anew, moveBack], async (service, [, , third, fourth]) => {
    expect(await service.verify()).toMatchObject({ isIntact: true, anchor: null });
    return [
      await service.verify(third),
      await service.verify({ ...third!, hash: fourth!.hash }),
      await service.verify(fourth),
    ];
  });
  expect(standings).toMatchObject([
    { isIntact: true, anchor: "same" },
    { isIntact: false, anchor: "changed" },
    { isIntact: false, anchor: "missing" },
  ]);
});

test("what the log has forgotten by its age says nothing against it, and its last one is still known", async () => {
  const forgotten = [
    "INSERT INTO audit_start SELECT 1, seq, hash FROM audit_log WHERE seq = 2",
    "DELETE FROM audit_log WHERE seq <= 2",
  ];
  const standings = await changed(forgotten, async (service, [first, second]) => [
    await service.verify(first),
    await service.verify(second),
  ]);
  expect(standings).toMatchObject([
    { isIntact: true, anchor: "expired" },
    { isIntact: true, anchor: "same" },
  ]);
});
