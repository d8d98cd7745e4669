import { describe, expect, test } from "bun:test";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import type { Attempt, Endpoint } from "../../src/features/webhooks/model.ts";
import type { Settlement } from "../../src/features/webhooks/change-model.ts";
import type { ReplayRequest } from "../../src/features/webhooks/store.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories, type Factories } from "../support/factories.ts";

const now = startOfTests;
const hour = 3_600_000;
const fine: Attempt = { at: now, status: 200, latencyMs: 12, error: null, response: "ok" };
const bad: Attempt = {
  at: now,
  status: 500,
  latencyMs: 12,
  error: "The receiver responded with 500.",
  response: "oops",
};

describe.each(enginesAndPostgres)("webhooks on $name", ({ open }) => {
  test("the backlog is counted by state, with the age of what waits", async () => {
    await using opened = await open();
    const { storage, target, eventId } = await withDelivery(opened.storage);
    const { metrics, webhooks } = storage;
    const backlog = async () => (await metrics.deliveries()).filter(({ count }) => count > 0);
    const [event] = await webhooks.due(target.id, now, 1);
    const oldestEventAt = event!.event.at;
    expect(await backlog()).toEqual([{ state: "pending", count: 1, oldestEventAt }]);
    await webhooks.settle([failure(target, eventId)]);
    expect(await backlog()).toEqual([{ state: "retrying", count: 1, oldestEventAt }]);
    await webhooks.settle([failure(target, eventId, { state: "failed", nextAt: null })]);
    expect(await backlog()).toEqual([{ state: "failed", count: 1, oldestEventAt: null }]);
    await webhooks.settle([settlement(target, eventId, { attempt: fine, state: "delivered", nextAt: null })]);
    expect(await backlog()).toEqual([]);
  });

  describe("endpoints", () => {
    test("are read by their owner as they were stored, newest first, and by nobody else", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const first = await add(storage, make, workspaceId);
      const second = await add(storage, make, workspaceId, {
        types: ["lead.*"],
        description: "CRM",
        createdAt: now + 1,
      });
      expect(await storage.webhooks.list(workspaceId, 10)).toEqual([second, first]);
      expect(await storage.webhooks.list(workspaceId, 1)).toEqual([second]);
      const stranger = (await make.storedUser(storage)).user.id;
      expect(await storage.webhooks.get(stranger, first.id)).toBeNull();
      expect(await storage.webhooks.list(stranger, 10)).toEqual([]);
      expect(await storage.webhooks.update(stranger, first.id, { url: "https://evil.example", at: now })).toBeNull();
      expect(await storage.webhooks.rotate(stranger, first.id, { secret: "x", oldUntil: now, at: now })).toBeNull();
      expect(await storage.webhooks.remove(stranger, first.id)).toBe(false);
      expect(await storage.webhooks.test(stranger, first.id, now)).toBeNull();
      expect(await storage.webhooks.get(workspaceId, first.id)).toEqual(first);
    });

    test("are so many and no more", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      expect(await storage.webhooks.insert(endpoint(make, workspaceId), 1)).toBe(true);
      expect(await storage.webhooks.insert(endpoint(make, workspaceId), 1)).toBe(false);
      expect(await storage.webhooks.list(workspaceId, 10)).toHaveLength(1);
    });

    test("that get another address begin anew", async () => {
      await using opened = await open();
      const { storage, workspaceId, target, eventId } = await withDelivery(opened.storage);
      await storage.webhooks.settle([failure(target, eventId, { backoffUntil: now + hour })]);
      const moved = await storage.webhooks.update(workspaceId, target.id, { url: "https://new.example", at: now });
      expect(moved).toMatchObject({ url: "https://new.example", failures: 0, failingSince: null });
      expect(await storage.webhooks.nextDueAt(now)).toBe(now + 5000);
    });

    test("keep the old secret beside a new one", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const { id, secret } = await add(storage, make, workspaceId);
      const rotated = await storage.webhooks.rotate(workspaceId, id, {
        secret: "whsec_new",
        oldUntil: now + hour,
        at: now,
      });
      expect(rotated).toMatchObject({ secret: "whsec_new", oldSecret: secret, oldSecretUntil: now + hour });
      expect(await (await opened.reopen()).webhooks.get(workspaceId, id)).toEqual(rotated);
    });

    test("are gone at once when they are removed, and their deliveries bit by bit", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const { id } = await add(storage, make, workspaceId);
      for (let n = 0; n < 3; n++) await make.storedLead(storage, workspaceId);
      await fanOut(storage);
      expect(await storage.webhooks.remove(workspaceId, id)).toBe(true);
      expect(await storage.webhooks.get(workspaceId, id)).toBeNull();
      expect(await storage.webhooks.dueEndpoints({ areFailing: false, now, limit: 10 })).toEqual([]);
      let slices = 0;
      while (await storage.webhooks.sweep(2)) slices++;
      expect(slices).toBe(2);
      expect(await storage.webhooks.due(id, now, 10)).toEqual([]);
    });
  });

  describe("handing events out", () => {
    test("each endpoint gets what it wants of its user's events, once, in order", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const [everything, created, none] = [
        await add(storage, make, workspaceId),
        await add(storage, make, workspaceId, { types: ["lead.created"] }),
        await add(storage, make, workspaceId, { types: ["lead.deleted", "voice.*"] }),
      ];
      const group = await add(storage, make, workspaceId, { types: ["lead.*"] });
      const stranger = (await make.storedUser(storage)).user.id;
      const theirs = await add(storage, make, stranger);
      const lead = await make.storedLead(storage, workspaceId);
      await storage.leads.update(make.leadUpdate(lead, { title: "Countess" }));
      await fanOut(storage);
      await fanOut(storage);
      expect(await dueTypes(storage, everything)).toEqual(["lead.created", "lead.updated"]);
      expect(await dueTypes(storage, group)).toEqual(["lead.created", "lead.updated"]);
      expect(await dueTypes(storage, created)).toEqual(["lead.created"]);
      expect(await dueTypes(storage, none)).toEqual([]);
      expect(await dueTypes(storage, theirs)).toEqual([]);
    });

    test("an endpoint is told nothing of what happened before it was made, nor of while it was turned off", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const first = await add(storage, make, workspaceId);
      await make.storedLead(storage, workspaceId);
      const second = await add(storage, make, workspaceId);
      await fanOut(storage);
      expect([await dueTypes(storage, first), await dueTypes(storage, second)]).toEqual([["lead.created"], []]);
      for (const { id } of [first, second])
        await storage.webhooks.update(workspaceId, id, { isEnabled: false, at: now });
      await make.storedLead(storage, workspaceId);
      expect(await storage.webhooks.fanOut(now, 100)).toBeNull();
      expect(await storage.webhooks.dueEndpoints({ areFailing: false, now, limit: 10 })).toEqual([]);
      const again = await storage.webhooks.update(workspaceId, first.id, { isEnabled: true, at: now });
      expect(again).toMatchObject({ isEnabled: true, disabledAt: null });
      await make.storedLead(storage, workspaceId);
      await fanOut(storage);
      expect((await storage.webhooks.dueEndpoints({ areFailing: false, now, limit: 10 })).map(({ id }) => id)).toEqual([
        first.id,
      ]);
      // What was waiting, and what came after.
      expect(await dueTypes(storage, first)).toEqual(["lead.created", "lead.created"]);
    });

    test("goes on after a crash where it was, without a gap or a repeat", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const target = await add(storage, make, workspaceId);
      const leads: string[] = [];
      for (let n = 0; n < 5; n++) leads.push((await make.storedLead(storage, workspaceId)).id);
      expect(await storage.webhooks.fanOut(now, 2)).toBe(2);
      const reopened = await opened.reopen();
      await fanOut(reopened);
      expect((await reopened.webhooks.due(target.id, now, 10)).map(({ event }) => event.leadId)).toEqual(leads);
    });

    test("what concerns the whole installation is told to endpoints of admins", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const adminId = (await make.storedUser(storage, { role: "admin" })).user.id;
      const [members, admins] = [await add(storage, make, workspaceId), await add(storage, make, adminId)];
      await storage.keys.insert(make.key(null));
      await fanOut(storage);
      expect([await dueTypes(storage, members), await dueTypes(storage, admins)]).toEqual([[], ["key.created"]]);
    });

    test("events that are forgotten take their deliveries along", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const target = await add(storage, make, workspaceId);
      await make.storedLead(storage, workspaceId);
      await fanOut(storage);
      const [due] = await storage.webhooks.due(target.id, now, 10);
      await storage.events.deleteBefore(now + 1, 100);
      expect(await storage.webhooks.due(target.id, now, 10)).toEqual([]);
      await storage.webhooks.settle([settlement(target, due!.event.id)]);
      expect(await storage.webhooks.delivery(workspaceId, target.id, due!.event.id)).toBeNull();
      expect(await storage.webhooks.nextDueAt(0)).toBeNull();
    });
  });

  describe("outcomes", () => {
    test("what was delivered is not due any more, and remembered with its attempt after a crash", async () => {
      await using opened = await open();
      const { storage, workspaceId, target, eventId } = await withDelivery(opened.storage);
      await storage.webhooks.settle([settlement(target, eventId)]);
      const reopened = await opened.reopen();
      expect(await reopened.webhooks.due(target.id, now + hour, 10)).toEqual([]);
      expect(await reopened.webhooks.delivery(workspaceId, target.id, eventId)).toMatchObject({
        state: "delivered",
        nextAt: null,
        attempts: [fine],
      });
      expect(await reopened.webhooks.get(workspaceId, target.id)).toMatchObject({ lastSuccessAt: now, failures: 0 });
    });

    test("a failure is due again at its moment, not before its endpoint has rested, and the endpoint counts it", async () => {
      await using opened = await open();
      const { storage, workspaceId, target, eventId } = await withDelivery(opened.storage);
      await storage.webhooks.settle([failure(target, eventId, { nextAt: now + 5000, backoffUntil: now + 8000 })]);
      const failing = (at: number) => storage.webhooks.dueEndpoints({ areFailing: true, now: at, limit: 10 });
      expect(await failing(now + 7999)).toEqual([]);
      expect(await storage.webhooks.nextDueAt(now)).toBe(now + 8000);
      expect((await failing(now + 8000)).map(({ id }) => id)).toEqual([target.id]);
      expect(await storage.webhooks.dueEndpoints({ areFailing: false, now: now + hour, limit: 10 })).toEqual([]);
      expect(await storage.webhooks.due(target.id, now + 5000, 10)).toMatchObject([{ tries: 1 }]);
      await storage.webhooks.settle([failure(target, eventId, { attempt: { ...bad, at: now + 9000 } })]);
      const seen = await storage.webhooks.get(workspaceId, target.id);
      expect(seen).toMatchObject({ failures: 2, failingSince: now, lastFailureAt: now + 9000, lastSuccessAt: null });
      await storage.webhooks.settle([settlement(target, eventId)]);
      expect(await storage.webhooks.get(workspaceId, target.id)).toMatchObject({ failures: 0, failingSince: null });
    });

    test("what comes for an endpoint that rests waits with the rest", async () => {
      await using opened = await open();
      const { storage, make, workspaceId, target, eventId } = await withDelivery(opened.storage);
      await storage.webhooks.settle([failure(target, eventId, { nextAt: now + hour, backoffUntil: now + 8000 })]);
      await make.storedLead(storage, workspaceId);
      await fanOut(storage);
      expect(await storage.webhooks.nextDueAt(now)).toBe(now + 8000);
    });

    test("an endpoint that is turned off is told of in the same breath, and what waits for it waits", async () => {
      await using opened = await open();
      const { storage, workspaceId, target, eventId } = await withDelivery(opened.storage);
      const gone = failure(target, eventId, { disableReason: "It is gone.", nextAt: now + 1 });
      await storage.webhooks.settle([gone]);
      await storage.webhooks.settle([gone]);
      expect(await storage.webhooks.get(workspaceId, target.id)).toMatchObject({
        isEnabled: false,
        disabledAt: now,
        disabledReason: "It is gone.",
      });
      const filter = { types: ["webhook.disabled"] as const };
      const request = { scopes: [workspaceId], filter, after: null, before: null, newestFirst: false, limit: 10 };
      expect(await storage.events.page(request)).toMatchObject([
        { data: { endpointId: target.id, reason: "It is gone." } },
      ]);
      expect(await storage.webhooks.dueEndpoints({ areFailing: true, now: now + hour, limit: 10 })).toEqual([]);
      await storage.webhooks.update(workspaceId, target.id, { isEnabled: true, at: now });
      expect(await storage.webhooks.get(workspaceId, target.id)).toMatchObject({ disabledReason: null, failures: 0 });
      expect((await storage.webhooks.dueEndpoints({ areFailing: false, now: now + hour, limit: 10 })).length).toBe(1);
    });

    test("of many attempts the latest are remembered", async () => {
      await using opened = await open();
      const { storage, workspaceId, target, eventId } = await withDelivery(opened.storage);
      for (let n = 0; n < 25; n++)
        await storage.webhooks.settle([failure(target, eventId, { attempt: { ...bad, at: now + n } })]);
      const { attempts } = (await storage.webhooks.delivery(workspaceId, target.id, eventId))!;
      expect([attempts.length, attempts[0]?.at, attempts.at(-1)?.at]).toEqual([20, now + 5, now + 24]);
    });

    test("those that wait longest come first, those that fail apart, at most as many as asked for", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const targets: Endpoint[] = [];
      for (let n = 0; n < 4; n++) targets.push(await add(storage, make, workspaceId));
      await make.storedLead(storage, workspaceId);
      await fanOut(storage);
      const [eventId] = (await storage.webhooks.due(targets[0]!.id, now, 1)).map(({ event }) => event.id);
      await storage.webhooks.settle([failure(targets[3]!, eventId!, { nextAt: now })]);
      await storage.webhooks.settle([settlement(targets[0]!, eventId!)]);
      await storage.webhooks.replay(workspaceId, targets[0]!.id, eventId!, { at: now - 1, maxOnDemand: 0 });
      const ids = async (areFailing: boolean, limit: number) =>
        (await storage.webhooks.dueEndpoints({ areFailing, now, limit })).map(({ id }) => id);
      expect((await ids(false, 10))[0]).toBe(targets[0]!.id);
      expect(await ids(false, 2)).toHaveLength(2);
      expect(await ids(false, 10)).toHaveLength(3);
      expect(await ids(true, 10)).toEqual([targets[3]!.id]);
    });
  });

  describe("once more", () => {
    test("a test event goes to one endpoint alone, whatever it is narrowed to", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const [target, other] = [
        await add(storage, make, workspaceId, { types: ["voice.*"] }),
        await add(storage, make, workspaceId),
      ];
      const delivery = await storage.webhooks.test(workspaceId, target.id, now);
      expect(delivery).toMatchObject({
        state: "pending",
        event: { type: "webhook.test", data: { endpointId: target.id } },
      });
      await fanOut(storage);
      expect((await storage.webhooks.nextOnDemand(target.id))?.event).toMatchObject({ type: "webhook.test" });
      expect(await storage.webhooks.nextOnDemand(other.id)).toBeNull();
      expect([await dueTypes(storage, target), await dueTypes(storage, other)]).toEqual([[], []]);
    });

    test("what was asked for stands beside the queue until its own outcome is written, whether its endpoint rests or not", async () => {
      await using opened = await open();
      const { storage, workspaceId, target, eventId } = await withDelivery(opened.storage);
      const rests = { nextAt: now + 5000, backoffUntil: now + hour };
      await storage.webhooks.settle([failure(target, eventId, rests)]);
      await storage.webhooks.replay(workspaceId, target.id, eventId, { at: now + 1, maxOnDemand: 1 });
      const reopened = await opened.reopen();
      expect(await reopened.webhooks.onDemandEndpoints(10)).toMatchObject([{ id: target.id, failures: 1 }]);
      expect(await reopened.webhooks.nextOnDemand(target.id)).toMatchObject({ event: { id: eventId }, tries: 0 });
      expect(await reopened.webhooks.nextDueAt(now)).toBeNull();
      // One that was being posted meanwhile, by the queue.
      await reopened.webhooks.settle([settlement(target, eventId)]);
      const shown = () => reopened.webhooks.delivery(workspaceId, target.id, eventId);
      expect(await shown()).toMatchObject({ state: "pending", nextAt: now + 1, attempts: [bad, fine] });
      await reopened.webhooks.settle([settlement(target, eventId, { isOnDemand: true })]);
      expect(await shown()).toMatchObject({ state: "delivered", nextAt: null, attempts: [bad, fine, fine] });
      expect(await reopened.webhooks.onDemandEndpoints(10)).toEqual([]);
    });

    test("a test is asked for once at a time, and of replays so many; the others are queued", async () => {
      await using opened = await open();
      const { storage, make, workspaceId, target, eventId } = await withDelivery(opened.storage);
      await make.storedLead(storage, workspaceId);
      await fanOut(storage);
      const [, second] = (await storage.webhooks.due(target.id, now, 10)).map(({ event }) => event.id);
      await storage.webhooks.replay(workspaceId, target.id, eventId, { at: now, maxOnDemand: 1 });
      await storage.webhooks.replay(workspaceId, target.id, second!, { at: now, maxOnDemand: 1 });
      await storage.webhooks.replay(workspaceId, target.id, eventId, { at: now, maxOnDemand: 1 });
      expect((await storage.webhooks.due(target.id, now, 10)).map(({ event }) => event.id)).toEqual([second!]);
      const asked = await storage.webhooks.test(workspaceId, target.id, now + 1);
      expect((await storage.webhooks.test(workspaceId, target.id, now + 2))?.event.id).toBe(asked!.event.id);
      // A test goes first, though the replay has waited longer.
      expect((await storage.webhooks.nextOnDemand(target.id))?.event.id).toBe(asked!.event.id);
    });

    test("nothing is asked of an endpoint that is turned off", async () => {
      await using opened = await open();
      const { storage, workspaceId, target } = await withDelivery(opened.storage);
      const asked = await storage.webhooks.test(workspaceId, target.id, now);
      await storage.webhooks.update(workspaceId, target.id, { isEnabled: false, at: now });
      expect(await storage.webhooks.onDemandEndpoints(10)).toEqual([]);
      expect(await storage.webhooks.delivery(workspaceId, target.id, asked!.event.id)).toMatchObject({
        state: "pending",
        nextAt: null,
      });
    });

    test("the next attempt is told to be after the rest of the endpoint", async () => {
      await using opened = await open();
      const { storage, workspaceId, target, eventId } = await withDelivery(opened.storage);
      const nextAt = async () => (await storage.webhooks.delivery(workspaceId, target.id, eventId))?.nextAt;
      const listed = { workspaceId, endpointId: target.id, state: null, types: null, before: null, limit: 10 };
      await storage.webhooks.settle([failure(target, eventId, { nextAt: now + 5000, backoffUntil: now + hour })]);
      expect(await nextAt()).toBe(now + hour);
      expect(await storage.webhooks.deliveries(listed)).toMatchObject([{ nextAt: now + hour }]);
      await storage.webhooks.settle([failure(target, eventId, { nextAt: now + 2 * hour, backoffUntil: now + hour })]);
      expect(await nextAt()).toBe(now + 2 * hour);
    });

    test("a delivery is put into the queue again with all its tries", async () => {
      await using opened = await open();
      const { storage, workspaceId, target, eventId } = await withDelivery(opened.storage);
      await storage.webhooks.settle([settlement(target, eventId)]);
      const again = await storage.webhooks.replay(workspaceId, target.id, eventId, { at: now + hour, maxOnDemand: 0 });
      expect(again).toMatchObject({ state: "pending", nextAt: now + hour, attempts: [fine] });
      expect(await storage.webhooks.due(target.id, now + hour, 10)).toMatchObject([{ tries: 0 }]);
      expect(await storage.webhooks.replay(workspaceId, target.id, 999, { at: now, maxOnDemand: 1 })).toBeNull();
    });

    test("of a time, what was not delivered is, also what came before the endpoint; all of it only on request", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const stranger = (await make.storedUser(storage)).user.id;
      const at = (minutes: number) => ({ createdAt: now + minutes * 60_000 });
      const leads: string[] = [];
      for (let n = 0; n < 3; n++) leads.push((await make.storedLead(storage, workspaceId, at(n))).id);
      await make.storedLead(storage, stranger, at(2));
      const target = await add(storage, make, workspaceId, { types: ["lead.created"] });
      for (let n = 3; n < 6; n++) leads.push((await make.storedLead(storage, workspaceId, at(n))).id);
      await fanOut(storage);
      const due = await storage.webhooks.due(target.id, now, 10);
      await storage.webhooks.settle([
        settlement(target, due[0]!.event.id),
        failure(target, due[1]!.event.id, { state: "failed", nextAt: null }),
        settlement(target, due[2]!.event.id),
      ]);
      const range = { from: at(1).createdAt, to: at(4).createdAt, at: now + hour };
      expect(await replayAll(storage, { ...range, workspaceId, endpointId: target.id, includesDelivered: false })).toBe(
        3,
      );
      const leadsDue = async () =>
        (await storage.webhooks.due(target.id, now + hour, 10)).map(({ event }) => leads.indexOf(event.leadId!));
      expect(await leadsDue()).toEqual([1, 2, 4]);
      // What waits already is not counted again.
      expect(await replayAll(storage, { ...range, workspaceId, endpointId: target.id, includesDelivered: true })).toBe(
        1,
      );
      expect(await leadsDue()).toEqual([1, 2, 3, 4]);
    });
  });

  test("deliveries are listed newest event first, narrowed to a state and types, page by page", async () => {
    await using opened = await open();
    const { storage, make, workspaceId } = await withUser(opened.storage);
    const target = await add(storage, make, workspaceId);
    const lead = await make.storedLead(storage, workspaceId);
    await storage.leads.update(make.leadUpdate(lead, { title: "Countess" }));
    await storage.leads.remove({ workspaceId, id: lead.id, version: null, at: now });
    await fanOut(storage);
    const [first] = await storage.webhooks.due(target.id, now, 1);
    await storage.webhooks.settle([failure(target, first!.event.id, { state: "failed", nextAt: null })]);
    const listed = async (request: object) =>
      (
        await storage.webhooks.deliveries({
          ...{ workspaceId, endpointId: target.id, state: null, types: null, before: null, limit: 10 },
          ...request,
        })
      ).map(({ event }) => event.type);
    expect(await listed({})).toEqual(["lead.deleted", "lead.updated", "lead.created"]);
    expect(await listed({ state: "failed" })).toEqual(["lead.created"]);
    expect(await listed({ state: "pending", limit: 1 })).toEqual(["lead.deleted"]);
    expect(await listed({ types: ["lead.updated"] })).toEqual(["lead.updated"]);
    expect(await listed({ before: first!.event.id + 1 })).toEqual(["lead.created"]);
    expect(await listed({ workspaceId: (await make.storedUser(storage)).user.id })).toEqual([]);
  });
});

async function withUser(storage: Storage) {
  const make = createFactories(Math.floor(Math.random() * 1e9));
  const { user } = await make.storedUser(storage);
  return { storage, make, workspaceId: user.id };
}

async function withDelivery(storage: Storage) {
  const { make, workspaceId } = await withUser(storage);
  const target = await add(storage, make, workspaceId);
  await make.storedLead(storage, workspaceId);
  await fanOut(storage);
  const [due] = await storage.webhooks.due(target.id, now, 1);
  return { storage, make, workspaceId, target, eventId: due!.event.id };
}

function endpoint(make: Factories, workspaceId: string, overrides: Partial<Endpoint> = {}): Endpoint {
  return {
    id: make.ids.next(now),
    workspaceId,
    url: "https://crm.example.com/hooks",
    description: null,
    types: null,
    isEnabled: true,
    disabledAt: null,
    disabledReason: null,
    secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
    oldSecret: null,
    oldSecretUntil: null,
    failures: 0,
    failingSince: null,
    lastSuccessAt: null,
    lastFailureAt: null,
    createdAt: now,
    updatedAt: now,
    ...overrides,
  };
}

async function add(
  storage: Storage,
  make: Factories,
  workspaceId: string,
  overrides: Partial<Endpoint> = {},
): Promise<Endpoint> {
  const added = endpoint(make, workspaceId, overrides);
  await storage.webhooks.insert(added, 100);
  return added;
}

async function fanOut(storage: Storage): Promise<void> {
  while (((await storage.webhooks.fanOut(now, 100)) ?? 0) > 0);
}

async function dueTypes(storage: Storage, { id }: Endpoint): Promise<string[]> {
  return (await storage.webhooks.due(id, now, 100)).map(({ event }) => event.type);
}

function settlement({ id }: Endpoint, eventId: number, overrides: Partial<Settlement> = {}): Settlement {
  const result = { attempt: fine, isOnDemand: false, state: "delivered" } as const;
  return { endpointId: id, eventId, ...result, nextAt: null, backoffUntil: 0, disableReason: null, ...overrides };
}

function failure(target: Endpoint, eventId: number, overrides: Partial<Settlement> = {}): Settlement {
  return settlement(target, eventId, { attempt: bad, state: "pending", nextAt: now + 5000, ...overrides });
}

/** In slices of two, so that each end of a slice is met. */
async function replayAll(storage: Storage, request: Omit<ReplayRequest, "after" | "limit">): Promise<number> {
  let replayed = 0;
  for (let after: number | null = null; ;) {
    const slice = await storage.webhooks.replayRange({ ...request, after, limit: 2 });
    replayed += slice.replayed;
    after = slice.next;
    if (after === null) return replayed;
  }
}
