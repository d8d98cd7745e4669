import { expect, test } from "bun:test";
import { createLog } from "../../src/platform/base/log.ts";
import type { NetworkAction } from "../../src/features/network/action-model.ts";
import { createActionHandler } from "../../src/features/network/action-job.ts";
import { Planner } from "../../src/features/network/planner.ts";
import { startOfTests } from "../support/clock.ts";
import { engines, type OpenedStorage } from "../support/engines.ts";
import { connectorsOf, createNetworkWorld, sent, voices } from "../support/network-world.ts";

const minute = 60_000;

/** Performs the one due action, in a process that stands still before the connector is called if `isHeld` is false. */
async function perform(opened: OpenedStorage, isHeld: boolean, action: Partial<NetworkAction>) {
  const world = await createNetworkWorld(opened);
  const scheduled = await world.schedule({ action });
  const log = createLog("silent");
  const planner = new Planner(opened.storage.network, world.clock, log, () => {});
  planner.wake();
  await planner.idle();
  let calls = 0;
  const handler = createActionHandler({
    ...{ store: opened.storage.network, speech: voices, clock: world.clock, log },
    connectors: connectorsOf({
      carryOut: async () => {
        calls++;
        return sent;
      },
    }),
    ...{ replan: () => {}, onEnded: () => {} },
  });
  const leaseUntil = startOfTests + minute;
  const claimed = await handler.claim!({ limit: 1, now: startOfTests, leaseUntil });
  const job = claimed.jobs[0]!;
  await handler.run(job, {
    claim: { id: job.id, attempt: job.attempt },
    signal: new AbortController().signal,
    isHeld: () => isHeld,
    leaseUntil: () => leaseUntil,
    retryOnDiskFault: (write) => write(),
  });
  const callsOfPause = calls;
  const after = { job: await world.job(scheduled), action: await world.action(scheduled) };
  await world.runUntil(startOfTests + minute);
  return { calls: callsOfPause, ...after, callsLater: world.calls.length, end: await world.job(scheduled) };
}

const kinds: [string, Partial<NetworkAction>][] = [
  ["a connection request", {}],
  ["a voice message", { actionType: "sendVoiceMessage", message: "Hello" }],
];

for (const { name, open } of engines)
  test.each(kinds)(
    `%s whose lease may have expired before the call is not sent, but later (${name})`,
    async (_, kind) => {
      await using opened = await open();
      const { calls, job, action, callsLater, end } = await perform(opened, false, kind);
      expect(calls).toBe(0);
      expect(job).toMatchObject({ status: "pending", message: "The server paused before the action was sent." });
      expect(action).toMatchObject({ state: "scheduled" });
      expect([callsLater, end?.status]).toEqual([1, "completed"]);
    },
  );

for (const { name, open } of engines)
  test.each(kinds)(`%s is sent once while the lease is held (${name})`, async (_, kind) => {
    await using opened = await open();
    const { calls, job, callsLater } = await perform(opened, true, kind);
    expect([calls, job?.status, callsLater]).toEqual([1, "completed", 0]);
  });
