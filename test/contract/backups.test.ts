import { describe, expect, test } from "bun:test";
import type { BackupEnd } from "../../src/features/backup/store.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { engines } from "../support/engines.ts";

const name = "outreachd-20260105T100000000Z.tar.zst";
const failed: BackupEnd = {
  name,
  event: { type: "backup.failed", workspaceId: null, at: startOfTests, data: { name, reason: "No room" } },
};

describe.each(engines)("backups on $name", ({ open }) => {
  test("what was begun is known to the next process, until its end is told", async () => {
    await using opened = await open();
    await opened.storage.backups.begin(name);
    const storage = await opened.reopen();
    expect(await storage.backups.begun()).toEqual([name]);
    expect(await toldOf(storage)).toEqual([]);
    await storage.backups.end(failed);
    const after = await opened.reopen();
    expect(await after.backups.begun()).toEqual([]);
    expect(await toldOf(after)).toEqual([
      { type: "backup.failed", workspaceId: null, data: { name, reason: "No room" } },
    ]);
  });

  test("an end is told, also of what could not be written down at its beginning", async () => {
    await using opened = await open();
    await opened.storage.backups.end(failed);
    expect(await toldOf(opened.storage)).toHaveLength(1);
  });
});

async function toldOf({ events }: Storage): Promise<object[]> {
  const page = await events.page({
    scopes: [null],
    filter: {},
    after: null,
    before: null,
    newestFirst: false,
    limit: 10,
  });
  return page.map(({ type, workspaceId, data }) => ({ type, workspaceId, data }));
}
