import { expect, test } from "bun:test";
import { ada, createCommandLine, success, userPage } from "../support/command-line.ts";

const reply = {
  ...{ id: "42", type: "message.received", title: "Grace Hopper wrote to you", text: "Tell me\nmore", isRead: false },
  createdAt: "2026-01-05T10:00:00.000Z",
};
const imported = { ...reply, id: "41", type: "leads.imported", title: "Import ended", text: null, isRead: true };

async function run(...args: string[]) {
  const asked: { method: string; path: string; body: unknown }[] = [];
  const api = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/api/v2/users") return userPage([ada]);
    const isRead = request.method === "GET";
    asked.push({
      method: request.method,
      path: pathname.slice(7) + search,
      body: isRead ? null : await request.json(),
    });
    return success(isRead ? { notifications: [reply, imported], unread: 3 } : { unread: 0 });
  };
  await using cli = await createCommandLine({ api });
  return { ...(await cli.run("notifications", ...args)), asked };
}

test("notifications are listed, newest first, or only those that are not read", async () => {
  const { exitCode, out, asked } = await run("list", "--limit", "2");
  expect(exitCode).toBe(0);
  expect(asked[0]?.path).toStartWith("/notifications?limit=2");
  expect(out).toContain("2026-01-05 10:00  yes  Grace Hopper wrote to you  Tell me more  42");
  expect(out).toContain("Import ended");
  expect(out).toContain("3 unread.");
  expect((await run("list", "--unread")).out).not.toContain("Import ended");
});

test("some or all are marked as read", async () => {
  expect((await run("read", "41", "42")).asked).toMatchObject([{ method: "POST", body: { ids: ["41", "42"] } }]);
  const all = await run("read", "--all");
  expect(all.asked.at(-1)).toMatchObject({ path: "/notifications/read", body: { until: "42" } });
  expect(all.out).toContain("No unread notifications.");
  for (const wrong of [["read"], ["read", "41", "--all"]]) expect((await run(...wrong)).exitCode).toBe(2);
});
