import { afterAll, expect, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { eventually, startService, succeeded } from "../support/service.ts";
import { addMember } from "../support/team.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const page = { "x-outreachd-page": "1", "content-type": "application/json" };

/** Resolves when the stream of events has ended. */
async function openStream(headers: Record<string, string>): Promise<{ ended: Promise<void> }> {
  const response = await fetch(`${service.url}/api/v2/events/stream`, { headers });
  expect(response.status).toBe(200);
  const ended = (async () => {
    for await (const _ of response.body ?? []);
  })();
  return { ended };
}

async function signIn(client: Client): Promise<string> {
  const init = { method: "POST", headers: page, body: JSON.stringify({ key: client.key }) };
  const response = await fetch(`${service.url}/app/session`, init);
  return (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

const remove = (owner: Client, member: Client) => owner.delete(`/api/v2/members/${member.userId}`);
const deactivate = (owner: Client, member: Client) =>
  owner.put(`/api/v2/members/${member.userId}`, { isActive: false });
const deactivateUser = (_owner: Client, member: Client) =>
  service.admin.put(`/api/v2/users/${member.userId}`, { isActive: false });

test.each([
  ["removed", remove],
  ["deactivated", deactivate],
  ["deactivated in the installation", deactivateUser],
])("keys, sessions, and streams of a member who is %s end at once, those of others go on", async (_how, end) => {
  const owner = await service.user();
  const member = await addMember(service, owner, "member");
  const cookie = await signIn(member);
  const streams = [await openStream({ "x-api-key": member.key ?? "" }), await openStream({ cookie })];
  const others = await openStream({ "x-api-key": owner.key ?? "" });
  let othersEnded = false;
  void others.ended.then(() => (othersEnded = true)).catch(() => {});
  succeeded(await end(owner, member));
  await Promise.all(streams.map(({ ended }) => ended));
  expect((await member.get("/api/v2/leads")).status).toBe(401);
  expect((await fetch(`${service.url}/api/v2/leads`, { headers: { cookie } })).status).toBe(401);
  const call = { jsonrpc: "2.0", id: 1, method: "ping" };
  const headers = { "x-api-key": member.key ?? "", "content-type": "application/json", accept: "application/json" };
  const mcp = await fetch(`${service.url}/mcp`, { method: "POST", headers, body: JSON.stringify(call) });
  expect(mcp.status).toBe(401);
  expect(othersEnded).toBe(false);
});

test("the stream of a session that is ended from elsewhere ends, and that of the key goes on", async () => {
  const user = await service.user();
  const cookie = await signIn(user);
  const ofPage = await openStream({ cookie });
  const ofKey = await openStream({ "x-api-key": user.key ?? "" });
  let keyEnded = false;
  void ofKey.ended.then(() => (keyEnded = true)).catch(() => {});
  succeeded(await user.delete("/api/v2/sessions"));
  await ofPage.ended;
  expect(keyEnded).toBe(false);
});

/** A body of which `send` sends the next part. */
function slowBody() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({ start: (started) => void (controller = started) });
  const encoder = new TextEncoder();
  return {
    body,
    send: (text: string) => controller.enqueue(encoder.encode(text)),
    close: () => controller.close(),
  };
}

test.each([
  ["leads", "/api/v2/leads/import", "text/csv", "email\n", "ada@example.com\n"],
  ["prospects", "/api/v2/prospecting/import", "text/csv", "email\n", "ada@example.com\n"],
  ["a do-not-contact list", "/api/v2/suppressions/import", "text/csv", "email\n", "ada@example.com\n"],
])(
  "an upload of %s by a member who is removed meanwhile is refused and stores nothing",
  async (_what, path, type, head, row) => {
    const owner = await service.user();
    const member = await addMember(service, owner, "admin");
    const { body, send, close } = slowBody();
    send(head);
    const headers = { "x-api-key": member.key ?? "", "content-type": type };
    const uploading = fetch(service.url + path, { method: "POST", headers, body });
    let isAnswered = false;
    void uploading.then(() => (isAnswered = true)).catch(() => {});
    for (let n = 0; n < 20; n++) send(row);
    await Bun.sleep(100);
    succeeded(await remove(owner, member));
    const response = await eventually("the refusal", async () => {
      if (!isAnswered) send(row);
      await Bun.sleep(100);
      return isAnswered ? await uploading : null;
    });
    expect(response.status).toBe(401);
    try {
      close();
    } catch {
      // The server has already closed the connection.
    }
    expect((await owner.get<{ total: number }>("/api/v2/leads")).data.total).toBe(0);
    expect((await owner.get<{ total: number }>("/api/v2/suppressions")).data.total).toBe(0);
    expect((await owner.get<{ jobs: unknown[] }>("/api/v2/users/jobs")).data.jobs).toEqual([]);
  },
);
