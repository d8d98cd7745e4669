import { expect, test } from "bun:test";
import { ada, createCommandLine, success, userPage } from "../support/command-line.ts";

const conversation = {
  ...{ id: "c1", accountId: "a1", profileUrl: "https://network.example/in/grace", personName: "Grace Hopper" },
  ...{ leadId: null, unread: 2, assignedTo: null, label: "interested", snoozedUntil: null, receivedAt: null },
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

async function run(...args: string[]) {
  const asked: { method: string; path: string; body: unknown }[] = [];
  const api = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/api/v2/users") return userPage([ada]);
    const path = pathname.replace("/api/v2/inbox", "") + search;
    asked.push({ method: request.method, path, body: request.method === "GET" ? null : await request.json() });
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
