import { expect, test } from "bun:test";
import { pino } from "pino";
import { ApiError } from "../../src/errors.ts";
import type { Caller } from "../../src/keys/caller.ts";
import { SuppressionService } from "../../src/suppression/service.ts";
import { FakeClock } from "../support/clock.ts";
import { engines } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

test.each(engines)("who removes or erases an entry stands in the log, the value does not ($name)", async ({ open }) => {
  await using opened = await open();
  const { storage } = opened;
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const service = new SuppressionService(storage.suppressions, new FakeClock(), make.ids, log, null);
  const caller: Caller = {
    keyId: "key-1",
    keyName: "CRM",
    userId: user.id,
    role: "member",
    permissions: ["leads:delete"],
    requiresApproval: false,
    isLocal: false,
  };
  const entry = await make.storedSuppression(storage, user.id, "email", "ada@example.com");
  const teams = await make.storedSuppression(storage, null, "email", "bob@example.com");
  await service.forgetValue(caller, user.id, entry.id);
  await service.remove(caller, user.id, entry.id);
  await expect(service.remove(caller, user.id, teams.id)).rejects.toThrow(ApiError);
  await expect(service.remove(caller, user.id, entry.id)).rejects.toThrow(ApiError);
  const trace = { entryId: entry.id, kind: "email", scope: "user", userId: user.id, keyId: "key-1" };
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ ...trace, msg: "forgot the value of a do-not-contact entry" }),
    expect.objectContaining({ ...trace, msg: "removed from the do-not-contact list" }),
  ]);
  expect(lines.join()).not.toContain("example.com");
});
