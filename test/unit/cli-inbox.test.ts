import { expect, test } from "bun:test";
import type { ConversationView } from "../../src/features/inbox/model.ts";
import { listText } from "../../src/surfaces/cli/inbox-text.ts";
import { ada, createCommandLine, success, userPage } from "../support/command-line.ts";

const conversation = {
  ...{ id: "c1", accountId: "a1", profileUrl: "https://network.example/in/grace", personName: "Grace Hopper" },
  ...{
    leadId: null,
    unread: 2,
    assignedTo: null,
    label: "interested",
    snoozedUntil: null,
    receivedAt: null,
    queuedMessage: null,
  },
  lastMessage: { state: "received", text: "Tell me\nmore", at: "2026-01-05T10:00:00.000Z" },
};
const messages = [
  {
    ...{ id: "m2", direction: "outgoing", state: "queued", text: "Gladly", at: null, status: "Waiting for a break" },
    ...{ scheduledFor: "2026-01-05T11:00:00.000Z", createdAt: "2026-01-05T10:01:00.000Z" },
  },
  {
    ...{ id: "m1", direction: "incoming", state: "received", text: "Tell me more", status: null },
    ...{ at: "2026-01-05T10:00:00.000Z", scheduledFor: null, createdAt: "2026-01-05T10:00:00.000Z" },
  },
];

const snippet = { id: "s1", name: "Meeting", text: "Does Tuesday\nwork?" };

async function run(...args: string[]) {
  const asked: { method: string; path: string; body: unknown }[] = [];
  const api = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/api/v2/users") return userPage([ada]);
    const path = pathname.replace(/^\/api\/v2(\/inbox)?/, "") + search;
    const hasBody = ["POST", "PATCH"].includes(request.method);
    asked.push({ method: request.method, path, body: hasBody ? await request.json() : null });
    if (pathname.endsWith("/members")) return success({ members: [{ userId: "u2", email: "bob@example.com" }] });
    if (pathname.endsWith("/accounts")) return success({ accounts: [{ id: "a2", name: "Main" }] });
    if (pathname.endsWith("/events")) return success({ isNew: asked.length < 3, newMessages: 0 });
    if (pathname.endsWith("/snippets") && request.method === "GET") return success({ snippets: [snippet] });
    if (pathname.includes("/snippets")) return success(snippet);
    if (pathname.endsWith("/messages")) return success({ messages });
    if (pathname.endsWith("/reply")) return success({ message: messages[0], isNew: true });
    return success(pathname.endsWith("/conversations") ? { conversations: [conversation], total: 3 } : conversation);
  };
  await using cli = await createCommandLine({ api });
  return { ...(await cli.run("inbox", ...args)), asked };
}

test("lists conversations as the filters say", async () => {
  const { exitCode, out, asked } = await run("list", "--unread", "--mine", "--search", "price", "--limit", "1");
  expect(exitCode).toBe(0);
  const query = new URLSearchParams(asked[0]?.path.split("?")[1]);
  expect(Object.fromEntries(query)).toMatchObject({ unread: "true", assignedTo: "me", q: "price", limit: "1" });
  expect(out).toContain("2026-01-05 10:00  2       Grace Hopper  interested  Tell me more  c1");
  expect(out).toContain("1 of 3.");
});

test("lists a queued reply instead of the message that it answers", async () => {
  const queuedMessage = { text: "Gladly", scheduledFor: "2026-01-05T11:00:00.000Z" };
  const listed = (change: object) =>
    listText({ conversations: [{ ...conversation, ...change } as ConversationView], total: 1 });
  expect(listed({ queuedMessage })).toContain("interested  (queued for 2026-01-05 11:00 UTC) Gladly  c1");
  expect(listed({ queuedMessage: { text: null, scheduledFor: null } })).toContain("(queued)");
});

test("shows messages oldest first, and marks as read what it has shown", async () => {
  const { out, asked } = await run("show", "c1");
  expect(out.indexOf("Tell me more")).toBeLessThan(out.indexOf("Gladly"));
  expect(out).toContain("You (queued: Waiting for a break)");
  expect(asked.at(-1)).toMatchObject({
    method: "PATCH",
    path: "/conversations/c1",
    body: { isRead: true, readTo: "m1" },
  });
  expect((await run("show", "c1", "--keep-unread")).asked.map(({ method }) => method)).toEqual(["GET", "GET"]);
});

test("replies and labels", async () => {
  const replied = await run("reply", "c1", "Gladly");
  expect(replied.asked[0]).toMatchObject({ path: "/conversations/c1/reply", body: { message: "Gladly" } });
  expect(replied.out).toContain("Reply queued for 2026-01-05 11:00 UTC. Waiting for a break.");
  const labeled = await run("label", "c1", "none");
  expect(labeled.asked[0]).toMatchObject({ method: "PATCH", body: { label: null } });
});

test("lists the conversations of a member and an account by their names", async () => {
  const { asked } = await run("list", "--assigned", "bob@example.com", "--account", "main", "--snoozed");
  const query = new URLSearchParams(asked.at(-1)?.path.split("?")[1]);
  expect(Object.fromEntries(query)).toMatchObject({ assignedTo: "u2", accountId: "a2", snoozed: "only" });
  expect((await run("list", "--assigned", "none")).asked.at(-1)?.path).toContain("assignedTo=none");
  const unknown = await run("list", "--account", "Sales");
  expect([unknown.exitCode, unknown.err]).toEqual([
    1,
    expect.stringContaining("No network account has the name or ID Sales."),
  ]);
  expect((await run("list", "--mine", "--assigned", "none")).exitCode).toBe(2);
});

test.each<[args: string[], body: object, out: string]>([
  [["assign", "c1", "bob@example.com"], { assignedTo: "u2" }, "Grace Hopper: unassigned"],
  [["assign", "c1", "me"], { assignedTo: "me" }, "Grace Hopper"],
  [["assign", "c1", "none"], { assignedTo: null }, "Grace Hopper: unassigned"],
  [["snooze", "c1", "2030-06-03T11:00:00+02:00"], { snoozedUntil: "2030-06-03T09:00:00.000Z" }, "2030-06-03 09:00 UTC"],
  [["unsnooze", "c1"], { snoozedUntil: null }, "not snoozed"],
  [["read", "c1"], { isRead: true }, "Grace Hopper: read"],
  [["unread", "c1"], { isRead: false }, "Grace Hopper: unread"],
])("%p sends %j", async (args, body, out) => {
  const result = await run(...args);
  expect(result.exitCode).toBe(0);
  expect(result.asked.at(-1)).toMatchObject({ method: "PATCH", path: "/conversations/c1", body });
  expect(result.out).toContain(out);
});

test("a snooze needs a time", async () => {
  const { exitCode, err, asked } = await run("snooze", "c1", "tomorrow");
  expect([exitCode, asked]).toEqual([2, []]);
  expect(err).toContain("2026-01-05T09:00:00Z");
});

test("replies with a snippet, spoken by a voice, but not with a text beside it", async () => {
  const { asked } = await run("reply", "c1", "--snippet", "meeting", "--voice", "v1");
  expect(asked.at(-1)).toMatchObject({ path: "/conversations/c1/reply", body: { snippetId: "s1", voiceId: "v1" } });
  for (const args of [
    ["reply", "c1"],
    ["reply", "c1", "Hello", "--snippet", "Meeting"],
  ]) {
    const { exitCode, err } = await run(...args);
    expect([exitCode, err]).toEqual([2, expect.stringContaining("Expected either a text or --snippet.")]);
  }
});

test("records replies and acceptances", async () => {
  const url = "https://network.example/in/grace";
  const replied = await run("record", url, "Tell me more", "--at", "2026-01-05T10:00:00Z");
  const news = { profileUrl: url, event: "replied", text: "Tell me more", at: "2026-01-05T10:00:00.000Z" };
  expect(replied.asked.at(-1)).toMatchObject({ method: "POST", path: "/network/contacts/events", body: news });
  expect(replied.out).toContain("Reply recorded.");
  const accepted = await run("record", url, "--accepted", "--account", "Main");
  expect(accepted.asked.at(-1)?.body).toMatchObject({ profileUrl: url, event: "accepted", accountId: "a2" });
  expect(accepted.out).toContain("Acceptance recorded.");
});

test("manages snippets by their names", async () => {
  expect((await run("snippets", "list")).out).toContain("Meeting  Does Tuesday work?  s1");
  const created = await run("snippets", "create", "Meeting", "Does Tuesday work?");
  expect(created.asked[0]).toMatchObject({ method: "POST", path: "/snippets", body: { name: "Meeting" } });
  const updated = await run("snippets", "update", "MEETING", "--text", "Does Friday work?");
  expect(updated.asked.at(-1)).toMatchObject({
    method: "PATCH",
    path: "/snippets/s1",
    body: { text: "Does Friday work?" },
  });
  expect((await run("snippets", "update", "Meeting")).exitCode).toBe(2);
  const deleted = await run("snippets", "delete", "s1");
  expect(deleted.asked.at(-1)).toMatchObject({ method: "DELETE" });
  expect(deleted.out).toContain("Deleted the snippet Meeting.");
  expect((await run("snippets", "delete", "Other")).err).toContain("No snippet has the name or ID Other.");
});
