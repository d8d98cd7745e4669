import { expect, test } from "bun:test";
import { pino } from "pino";
import { ApiError } from "../../src/platform/base/errors.ts";
import type { Caller } from "../../src/platform/auth/caller.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { currentRequest } from "../../src/platform/base/current-request.ts";
import { SuppressionService } from "../../src/features/suppression/service.ts";
import { FakeClock } from "../support/clock.ts";
import { executing } from "../support/current-request.ts";
import { engines } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

test.each(engines)("who removes or erases an entry stands in the log, the value does not ($name)", async ({ open }) => {
  await using opened = await open();
  const { storage } = opened;
  const { make, user, lines, service } = await loggedService(storage);
  const caller: Caller = {
    keyId: "key-1",
    keyName: "CRM",
    workspaceId: user.id,
    userId: user.id,
    memberRole: "owner",
    role: "member",
    permissions: ["leads:delete"],
    requiresApproval: false,
    expiresAt: null,
    isLocal: false,
    keyHash: null,
  };
  const entry = await make.storedSuppression(storage, user.id, "email", "ada@example.com");
  const teams = await make.storedSuppression(storage, null, "email", "bob@example.com");
  await service.forgetValue(caller, user.id, entry.id);
  await service.remove(caller, user.id, entry.id);
  await expect(service.remove(caller, user.id, teams.id)).rejects.toThrow(ApiError);
  await expect(service.remove(caller, user.id, entry.id)).rejects.toThrow(ApiError);
  const trace = { entryId: entry.id, kind: "email", scope: "user", workspaceId: user.id, keyId: "key-1" };
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ ...trace, msg: "value of do-not-contact entry erased" }),
    expect.objectContaining({ ...trace, msg: "do-not-contact entry removed" }),
  ]);
  expect(lines.join()).not.toContain("example.com");
});

test("what is rolled back with a failed commit is not logged", async () => {
  await using opened = await engines[0]!.open();
  const { storage } = opened;
  const { make, user, lines, service } = await loggedService(storage);
  const entry = await make.storedSuppression(storage, user.id, "email", "ada@example.com");
  const caller = { keyId: "key-1", workspaceId: user.id } as Caller;
  const body = {
    bytes: 0,
    get hash(): Uint8Array {
      throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
    },
  };
  const key = { id: new Uint8Array(16), startedAt: 0, workspaceId: null, nodeId: null };
  const attempt = storage.idempotency.begin(key, body, null);
  const forgetting = currentRequest.run(executing(attempt), () => service.forgetValue(caller, user.id, entry.id));
  await expect(forgetting).rejects.toThrow("database or disk is full");
  expect(await storage.suppressions.get(user.id, entry.id)).toMatchObject({ value: "ada@example.com" });
  expect(lines).toEqual([]);
  await service.forgetValue(caller, user.id, entry.id);
  await storage.check();
  expect(lines).toHaveLength(1);
});

async function loggedService(storage: Storage) {
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const service = new SuppressionService(storage.suppressions, new FakeClock(), make.ids, log, null);
  return { make, user, lines, service };
}
