import { expect, test } from "bun:test";
import { digestDay, isRoutable, kindOf, mailName, outcomeOf, recipientsOf } from "../../src/features/mail/decisions.ts";
import { digestText, notificationText } from "../../src/features/mail/texts.ts";
import type { Event } from "../../src/platform/events/model.ts";
import { startOfTests } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

const make = createFactories();
const times = { createdAt: 1, updatedAt: 1 };
const memberOf = (role: "owner" | "member" | "viewer", parts: object = {}) => {
  const user = make.user(parts);
  return { user, member: { workspaceId: "w", userId: user.id, role, permissions: null, isActive: true, ...times } };
};
const owner = memberOf("owner");
const ada = memberOf("member");
const grace = memberOf("viewer");
const gone = memberOf("member", { isActive: false });
const team = [owner, ada, grace, gone];
const nobody = { accountMember: null, assignee: null };
const ids = (users: { id: string }[]) => users.map(({ id }) => id);
const none = new Map();

test("what someone started concerns them alone", () => {
  const started = (actorId: string | null) =>
    ids(recipientsOf({ type: "leads.imported", actorId }, nobody, team, none));
  expect(started(grace.user.id)).toEqual([grace.user.id]);
  expect(started(gone.user.id)).toEqual([]);
  expect(started(null)).toEqual([]);
});

test("a reply concerns the member of the lead, else of the account, else owners and admins", () => {
  const replied = (concerned: object) =>
    ids(recipientsOf({ type: "message.received", actorId: null }, { ...nobody, ...concerned }, team, none));
  expect(replied({ assignee: grace.user.id, accountMember: ada.user.id })).toEqual([grace.user.id]);
  expect(replied({ accountMember: ada.user.id })).toEqual([ada.user.id]);
  expect(replied({ accountMember: gone.user.id })).toEqual([owner.user.id]);
  expect(replied({})).toEqual([owner.user.id]);
});

test("nobody gets what they turned off, or what reaches no mail server", () => {
  const off = new Map([[ada.user.id, { accountReconnect: false }]]);
  const concerned = { ...nobody, accountMember: ada.user.id };
  expect(recipientsOf({ type: "account.reconnect_required", actorId: null }, concerned, team, off)).toEqual([]);
  const local = memberOf("owner", { email: "admin@localhost" });
  expect(recipientsOf({ type: "account.reconnect_required", actorId: null }, nobody, [local], none)).toEqual([]);
  expect([isRoutable("a@b.example"), isRoutable("a@localhost"), isRoutable("a@b.")]).toEqual([true, false, false]);
});

test("who may not see an event is not notified of it", () => {
  const blind = memberOf("member");
  const member = { ...blind.member, role: "custom" as const, permissions: ["leads:read" as const] };
  const concerned = { ...nobody, accountMember: blind.user.id };
  const notified = (type: "message.received" | "leads.imported") =>
    recipientsOf({ type, actorId: blind.user.id }, concerned, [{ ...blind, member }], none);
  expect(ids(notified("message.received"))).toEqual([]);
  expect(ids(notified("leads.imported"))).toEqual([blind.user.id]);
});

test("the messages of a conversation in an hour are one mail for each recipient", () => {
  const names = [0, 59, 60].flatMap((minutes) =>
    ["ada", "grace"].map((user) =>
      mailName({ id: minutes, type: "message.received", at: minutes * 60_000, data: { conversationId: "c" } }, user),
    ),
  );
  expect(new Set(names).size).toBe(4);
  expect(names.slice(0, 2)).toEqual(names.slice(2, 4));
  const imported = { type: "leads.imported", at: 0, data: {} } as const;
  expect(mailName({ id: 1, ...imported }, "ada")).not.toBe(mailName({ id: 2, ...imported }, "ada"));
});

test("events are news for a day", () => {
  const at = startOfTests;
  expect(kindOf({ type: "message.received", at, data: {} }, at + 86_400_000)).toBe("replyReceived");
  expect(kindOf({ type: "message.received", at, data: {} }, at + 86_400_001)).toBeNull();
  expect(kindOf({ type: "lead.created", at, data: {} }, at)).toBeNull();
  // A conversation of past years that is reported today.
  const old = { sentAt: new Date(at - 86_400_001).toISOString() };
  expect(kindOf({ type: "message.received", at, data: old }, at)).toBeNull();
  // Comes with the first message of a person, so that it would be a second mail.
  expect(kindOf({ type: "message.replied", at, data: {} }, at)).toBeNull();
});

test("a mail is tried again for about a day, unless its recipient is refused", () => {
  const busy = { isSent: false, isFinal: false, reason: "busy" } as const;
  expect(outcomeOf({ isSent: true }, 1, 0)).toEqual({ kind: "sent" });
  expect(outcomeOf(busy, 1, 0)).toEqual({ kind: "retry", dueAt: 60_000, reason: "busy" });
  expect(outcomeOf({ ...busy, isFinal: true }, 1, 0)).toEqual({ kind: "failed", reason: "busy" });
  let at = 0;
  for (let tries = 1; ; tries++) {
    const outcome = outcomeOf(busy, tries, at);
    if (outcome.kind !== "retry") break;
    at = outcome.dueAt;
  }
  expect(at / 3_600_000).toBeWithin(20, 30);
});

test("a digest is due from eight in the morning of the user", () => {
  const at = (time: string) => Date.parse(time);
  expect(digestDay(at("2026-01-05T07:59:00Z"), "UTC")).toBeNull();
  expect(digestDay(at("2026-01-05T08:00:00Z"), "UTC")).toBe("2026-01-05");
  expect(digestDay(at("2026-01-05T23:30:00Z"), "Asia/Tokyo")).toBe("2026-01-06");
  expect(digestDay(at("2026-01-05T08:00:00Z"), "America/New_York")).toBeNull();
});

const event: Event = {
  ...{ id: 1, type: "message.received", workspaceId: "w", at: startOfTests, actorId: null, jobId: null },
  ...{ leadId: "lead-1", campaignId: null, accountId: "acc", voiceId: null },
  data: { conversationId: "c 1", text: "Hello Ada, my number is 1234", profileUrl: "https://network.example/in/ada" },
};

test("a notification links to what it is about, and says nothing about the person", () => {
  const { subject, body } = notificationText("replyReceived", event, "Acme\r\nBcc: x@example.com", "https://o.example");
  expect(subject).toBe("You have a message");
  expect(body).toContain("https://o.example/app/inbox?c=c%201");
  expect(body).toContain("Acme Bcc: x@example.com");
  expect(body).not.toMatch(/1234|network\.example/);
});

test("an import is reported with its numbers", () => {
  const data = { status: "completed", created: 3, duplicatesUpdated: 1 };
  const { subject, body } = notificationText("importFinished", { ...event, type: "leads.imported", data }, "Acme", "");
  expect(subject).toBe("Import completed: leads");
  expect(body).toContain("created: 3\nduplicates updated: 1");
});

test("a digest lists busy workspaces only, and none is sent if there are none", () => {
  const quiet = { completed: 0, failed: 0, accepted: 0, messages: 0, approvals: 0 };
  const text = digestText(
    [
      { name: "Acme", counts: { ...quiet, messages: 2 } },
      { name: "Quiet", counts: quiet },
    ],
    "",
  );
  expect(text?.body).toContain("Acme\n  2 messages received");
  expect(text?.body).not.toContain("Quiet");
  expect(digestText([{ name: "Quiet", counts: quiet }], "")).toBeNull();
});

test("a digest counts one of a kind in the singular", () => {
  const counts = { completed: 1, failed: 1, accepted: 1, messages: 1, approvals: 1 };
  const lines = digestText([{ name: "Acme", counts }], "")?.body.split("\n") ?? [];
  expect(lines.filter((line) => line.startsWith("  "))).toEqual([
    "  1 message received",
    "  1 connection request accepted",
    "  1 action completed",
    "  1 action failed",
    "  1 action that required approval",
  ]);
});
