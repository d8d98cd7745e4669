import { expect, test } from "bun:test";
import { createWebhookSender } from "../../src/adapters/providers/webhooks/threaded.ts";
import { startRawPeer } from "../support/http-peer.ts";
import { startLoopback } from "../support/vendors/loopback.ts";

const local = ["127.0.0.1"];
const never = new AbortController().signal;
const message = (url: string) => ({ url, headers: { "webhook-id": "msg_1" }, body: '{"type":"x"}', timeoutMs: 10_000 });

test("a message goes out as it is, and the answer comes back with its beginning and what it asks for", async () => {
  await using receiver = await startLoopback(
    () => new Response(`é\u0000${"x".repeat(2000)}`, { status: 429, headers: { "retry-after": "60" } }),
  );
  await using sender = disposable(createWebhookSender(local));
  const before = Date.now();
  const outcome = await sender.post(message(`${receiver.url}/hook?a=1`), never);
  expect(outcome).toMatchObject({ kind: "answered", status: 429, excerpt: `é${"x".repeat(499)}` });
  expect(outcome.kind === "answered" && outcome.retryAt).toBeGreaterThanOrEqual(before + 60_000);
  const [{ method, path, headers, body }] = receiver.requests as [(typeof receiver.requests)[0]];
  expect([method, path, Buffer.from(body).toString()]).toEqual(["POST", "/hook?a=1", '{"type":"x"}']);
  expect([headers.get("webhook-id"), headers.get("content-type")]).toEqual(["msg_1", "application/json"]);
});

test("who asks for time is given it, however long the answer is", async () => {
  const headers = { "retry-after": "60" };
  await using receiver = await startLoopback(() => new Response("x".repeat(100_000), { status: 429, headers }));
  await using sender = disposable(createWebhookSender(local));
  const before = Date.now();
  const outcome = await sender.post(message(receiver.url), never);
  expect(outcome).toMatchObject({ kind: "answered", status: 429 });
  expect(outcome.kind === "answered" && outcome.retryAt).toBeGreaterThanOrEqual(before + 60_000);
});

test("what can't be reached, is not to be called, or breaks off has a reason for a person", async () => {
  await using peer = await startRawPeer((socket) => socket.destroy());
  await using sender = disposable(createWebhookSender(local));
  const reasons = await Promise.all(
    ["https://localhost:9/", "http://10.0.0.1/", "http://127.0.0.1:1/", peer.url].map(async (url) => {
      const outcome = await sender.post(message(url), never);
      return outcome.kind === "failed" ? outcome.reason : `answered ${outcome.status}`;
    }),
  );
  expect(reasons).toEqual([
    expect.stringContaining("not public"),
    expect.stringContaining("must use https"),
    expect.stringContaining("Unreachable: "),
    expect.stringContaining("Unreachable: "),
  ]);
});

test("many go out at once, also past one that hangs; when it stops, that one has failed", async () => {
  await using hanging = await startRawPeer();
  await using receiver = await startLoopback(() => new Response("ok"));
  const sender = createWebhookSender(local);
  const stuck = sender.post(message(hanging.url), never);
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => sender.post(message(receiver.url), never)));
  expect(outcomes.every((outcome) => outcome.kind === "answered" && outcome.status === 200)).toBe(true);
  await sender.stop();
  expect(await stuck).toMatchObject({ kind: "failed" });
  // It can begin again.
  expect(await sender.post(message(receiver.url), never)).toMatchObject({ kind: "answered" });
  await sender.stop();
});

test("a caller that gives up is answered at once", async () => {
  await using hanging = await startRawPeer();
  await using sender = disposable(createWebhookSender(local));
  const stop = new AbortController();
  const outcome = sender.post(message(hanging.url), stop.signal);
  await hanging.hasSent("msg_1");
  stop.abort();
  expect(await outcome).toMatchObject({ kind: "failed" });
});

function disposable<T extends { stop(): Promise<void> }>(thing: T): T & AsyncDisposable {
  return Object.assign(thing, { [Symbol.asyncDispose]: () => thing.stop() });
}
