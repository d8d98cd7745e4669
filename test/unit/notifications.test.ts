import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { concerns, isRead, nothingRead, withAllRead, withRead } from "../../src/features/notifications/rules.ts";
import { notificationText } from "../../src/features/notifications/texts.ts";

const reader = { userId: "ada", joinedAt: 100, may: () => true };
const imported = { type: "leads.imported" as const, at: 200, actorId: "ada" };
const nameless = { lead: null, account: null, campaign: null, voice: null };

test("imports are for the member who began them, messages for everybody who may see them", () => {
  expect(concerns(imported, reader)).toBe(true);
  expect(concerns({ ...imported, actorId: "grace" }, reader)).toBe(false);
  expect(concerns({ ...imported, actorId: null }, reader)).toBe(true);
  expect(concerns({ type: "message.received", at: 200, actorId: "grace" }, reader)).toBe(true);
  expect(concerns({ type: "message.received", at: 200, actorId: null }, { ...reader, may: () => false })).toBe(false);
});

test("what happened before a member joined is no news, nor are events that nobody is notified of", () => {
  expect(concerns({ ...imported, at: 99 }, reader)).toBe(false);
  expect(concerns({ type: "lead.updated", at: 200, actorId: null }, reader)).toBe(false);
});

test("single notifications are read, then all up to one; nothing becomes unread again", () => {
  const some = withRead(nothingRead, [5, 3, 5]);
  expect(some).toEqual({ readUntil: 0, alsoRead: [3, 5] });
  expect([1, 3, 4, 5].map((id) => isRead(some, id))).toEqual([false, true, false, true]);
  expect(withAllRead(some, 4)).toEqual({ readUntil: 4, alsoRead: [5] });
  expect(withAllRead(withAllRead(some, 9), 2)).toEqual({ readUntil: 9, alsoRead: [] });
  expect(withRead(withAllRead(some, 9), [7])).toEqual({ readUntil: 9, alsoRead: [] });
});

test("whatever is marked in whatever order stays marked, in bounded space", () => {
  const mark = fc.oneof(
    fc.record({ ids: fc.array(fc.integer({ min: 1, max: 2000 }), { maxLength: 100 }) }),
    fc.record({ until: fc.integer({ min: 1, max: 300 }) }),
  );
  fc.assert(
    fc.property(fc.array(mark, { maxLength: 20 }), (marks) => {
      let state = nothingRead;
      for (const one of marks) state = "ids" in one ? withRead(state, one.ids) : withAllRead(state, one.until);
      expect(state.alsoRead.length).toBeLessThanOrEqual(200);
      for (const one of marks)
        for (const id of "ids" in one ? one.ids : [one.until]) expect(isRead(state, id)).toBe(true);
    }),
  );
});

test("texts name who and what, and shorten what third parties wrote", () => {
  const reply = { type: "message.received" as const, data: { text: " Yes! ", profileUrl: "https://n.example/in/ada" } };
  expect(notificationText(reply, { ...nameless, lead: "Ada Lovelace" })).toEqual({
    title: "Ada Lovelace wrote",
    text: "Yes!",
  });
  expect(notificationText(reply, nameless).title).toBe("ada wrote");
  const long = notificationText({ ...reply, data: { text: "a".repeat(900) } }, nameless);
  expect(long.title).toBe("A person wrote");
  expect(long.text).toHaveLength(200);
  const counts = { status: "completed", rows: 100, created: 98, updated: 0, failed: 2 };
  expect(notificationText({ type: "leads.imported", data: counts }, nameless)).toEqual({
    title: "Lead import finished",
    text: "98 created, 2 failed",
  });
  const failure = { status: "failed", reason: "The file has no columns." };
  expect(notificationText({ type: "leads.imported", data: failure }, nameless)).toEqual({
    title: "Lead import failed",
    text: "The file has no columns.",
  });
});
