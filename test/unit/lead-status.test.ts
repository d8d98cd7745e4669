import { expect, test } from "bun:test";
import { LeadStatusFollower, statusAfter } from "../../src/features/leads/status-follower.ts";
import type { FollowedEvents, Lead, LeadUpdate } from "../../src/features/leads/model.ts";
import type { Event } from "../../src/platform/events/model.ts";
import { createFactories } from "../support/factories.ts";

const make = createFactories();
const event = (type: Event["type"], actionType?: string) => ({ type, data: actionType ? { actionType } : {}, at: 100 });
const lead = (status: Lead["status"], updatedAt = 50) => ({ status, updatedAt });
const sent = event("action.completed", "sendMessage");

test.each<[FollowedEvents, ReturnType<typeof event>, Lead["status"], Lead["status"] | null]>([
  ["nothing", sent, "new", null],
  ["contacts", sent, "new", "contacted"],
  ["contacts", event("action.completed", "visitProfile"), "new", null],
  ["contacts", event("connection.accepted"), "new", "contacted"],
  ["contacts", event("message.replied"), "new", "contacted"],
  ["contacts", event("message.replied"), "contacted", null],
  ["replies", event("message.replied"), "contacted", "qualified"],
  ["replies", event("message.replied"), "converted", null],
  ["replies", sent, "qualified", null],
  ["replies", event("action.failed", "sendMessage"), "new", null],
])("following %p, %p makes %p become %p", (followed, happened, before, after) => {
  expect(statusAfter(happened, lead(before), followed)).toBe(after);
});

test("what was changed after the event stays", () => {
  expect(statusAfter(sent, lead("new", 101), "contacts")).toBeNull();
});

test("follows each event once, in order, and none of leads that are gone", async () => {
  const stored = make.lead("w", { updatedAt: 50 });
  const events = ["action.completed", "message.replied", "action.completed"].map(
    (type, n) =>
      ({
        ...{ ...event(type as Event["type"], "sendMessage"), id: n + 1, workspaceId: "w" },
        leadId: n === 2 ? "gone" : stored.id,
      }) as Event,
  );
  const changes: [string, LeadUpdate][] = [];
  const follower = new LeadStatusFollower(
    { last: async () => 3, since: async (after) => events.filter(({ id }) => id > after) },
    {
      async updateAll(_acting, ids, inputOf) {
        for (const id of ids) if (id === stored.id) changes.push([id, inputOf(stored)]);
        return new Map();
      },
    },
    "replies",
  );
  await follower.follow();
  await follower.follow();
  expect(changes).toEqual([[stored.id, { status: "qualified" }]]);
});
