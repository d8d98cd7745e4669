import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import type { ConnectorOutcome } from "../../src/features/network/connector.ts";
import { createHttpClient } from "../../src/adapters/providers/http.ts";
import { createWebhookConnector } from "../../src/adapters/providers/network/webhook.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { accountOf, orderOf } from "../support/orders.ts";
import { startWebhookReceiver, webhookSecret } from "../support/vendors/webhook-receiver.ts";

const never = new AbortController().signal;
const privateHosts = ["127.0.0.1"];
const minuteMs = 60_000;

function connectorAt(url: string, secret: string | null = webhookSecret) {
  const clock = new FakeClock();
  const http = createHttpClient({ clock, allowPrivate: privateHosts });
  const connector = createWebhookConnector({ secret, privateHosts }, http, clock);
  return { connector, account: accountOf({ connector: "webhook", connectorSettings: { url } }) };
}

async function outcomeFor(answer: Response): Promise<ConnectorOutcome> {
  await using receiver = await startWebhookReceiver();
  receiver.answerWith(answer);
  const { connector, account } = connectorAt(receiver.url);
  return await connector.carryOut(orderOf({ jobId: "job-x" }), account, never);
}

test("the receiver gets the whole order, under the id of the job, with a signature that it can check", async () => {
  await using receiver = await startWebhookReceiver();
  const { connector, account } = connectorAt(receiver.url);
  const order = orderOf({
    actionType: "sendVoiceMessage",
    message: "Hello",
    details: { voiceId: "voice-1" },
    audio: { bytes: new Uint8Array([1, 2, 250]), mediaType: "audio/mp4", seconds: 3 },
  });
  await connector.carryOut(order, account, never);
  expect(receiver.deliveries).toEqual([
    {
      id: order.jobId,
      timestamp: startOfTests / 1000,
      type: "action.due",
      data: {
        jobId: order.jobId,
        actionType: "sendVoiceMessage",
        profileUrl: order.profileUrl,
        profileKey: order.profileKey,
        message: "Hello",
        details: { voiceId: "voice-1" },
        account: { id: account.id, name: account.name },
        audio: { mediaType: "audio/mp4", seconds: 3, base64: "AQL6" },
      },
    },
  ]);
});

test("any library for Standard Webhooks accepts the signature", async () => {
  await using receiver = await startWebhookReceiver();
  const clock = new FakeClock(Date.now());
  const http = createHttpClient({ clock, allowPrivate: privateHosts });
  const connector = createWebhookConnector({ secret: webhookSecret, privateHosts }, http, clock);
  await connector.carryOut(orderOf(), accountOf({ connectorSettings: { url: receiver.url } }), never);
  const [request] = receiver.requests;
  const headers = Object.fromEntries(request?.headers ?? []);
  expect(new Webhook(webhookSecret).verify(Buffer.from(request?.body ?? []), headers)).toMatchObject({
    type: "action.due",
  });
  expect(() => new Webhook(Buffer.alloc(32).toString("base64")).verify("{}", headers)).toThrow();
});

test("a receiver that knows another secret refuses the order", async () => {
  await using receiver = await startWebhookReceiver(`whsec_${Buffer.alloc(32, 9).toString("base64")}`);
  const { connector, account } = connectorAt(receiver.url);
  expect(await connector.carryOut(orderOf(), account, never)).toEqual({
    kind: "refused",
    refusal: "invalid",
    reason: "The receiver of the webhook rejected the action (401): Wrong signature.",
  });
});

describe("a report", () => {
  test.each<[object, object]>([
    [{ outcome: "completed" }, { kind: "completed", reference: null }],
    [
      { outcome: "completed", reference: 7, relation: "pending" },
      { kind: "completed", reference: "7", relation: "pending" },
    ],
    [
      { outcome: "completed", reference: { a: 1 }, relation: "friends" },
      { kind: "completed", reference: null },
    ],
    [
      { outcome: "refused", refusal: "alreadyConnected", reason: "You know her.", relation: "connected" },
      {
        kind: "refused",
        refusal: "alreadyConnected",
        reason: "The receiver of the webhook reports a refusal: You know her.",
        relation: "connected",
      },
    ],
    [
      { outcome: "refused", refusal: "noSuchWord" },
      { kind: "refused", refusal: "invalid" },
    ],
    [
      { outcome: "busy", retryAfterSeconds: 90 },
      { kind: "busy", retryAt: startOfTests + 90_000 },
    ],
    [{ outcome: "busy" }, { kind: "busy", retryAt: startOfTests + 5 * minuteMs }],
    [
      { outcome: "busy", retryAt: "1999-01-01" },
      { kind: "busy", retryAt: startOfTests + 1000 },
    ],
    [
      { outcome: "limited", retryAt: new Date(startOfTests + minuteMs).toISOString() },
      { kind: "limited", retryAt: startOfTests + minuteMs },
    ],
    [
      { outcome: "limited", retryAt: 1e15 },
      { kind: "limited", retryAt: startOfTests + 30 * 1440 * minuteMs },
    ],
    [
      { outcome: "limited", retryAt: "soon" },
      { kind: "limited", retryAt: null },
    ],
    [{ outcome: "signedOut" }, { kind: "signedOut" }],
    [{ outcome: "unknown", reason: "The page closed" }, { kind: "unknown" }],
    [{ outcome: "accepted" }, { kind: "delegated", to: "vendor", reference: "job-x", checkAt: null }],
  ])("%j means %j", async (report, outcome) => {
    expect(await outcomeFor(Response.json(report))).toMatchObject(outcome);
    expect(await outcomeFor(Response.json(report, { status: 409 }))).toMatchObject(outcome);
  });

  test.each([[{ outcome: "delivered" }], [{}], [[]], ["completed"], [1], [null]])("%j is none", async (report) => {
    expect(await outcomeFor(Response.json(report))).toMatchObject({ kind: "unknown" });
  });
});

describe("without a report", () => {
  const handed = { kind: "delegated", to: "vendor", reference: "job-x", checkAt: null };
  test.each<[Response, object]>([
    [new Response(null, { status: 202 }), handed],
    [new Response("Accepted", { status: 202 }), handed],
    [new Response(null, { status: 204 }), handed],
    [new Response("", { status: 200 }), handed],
    [new Response("had it", { status: 409 }), handed],
    [new Response("OK", { status: 200 }), { kind: "unknown" }],
    [new Response(null, { status: 410 }), { kind: "signedOut" }],
    [
      new Response(null, { status: 429, headers: { "retry-after": "120" } }),
      { kind: "busy", retryAt: startOfTests + 120_000 },
    ],
    [
      new Response(null, { status: 503, headers: { "retry-after": new Date(startOfTests + minuteMs).toUTCString() } }),
      { kind: "busy", retryAt: startOfTests + minuteMs },
    ],
    [new Response(null, { status: 503 }), { kind: "busy", retryAt: startOfTests + 5 * minuteMs }],
    [
      new Response(null, { status: 429, headers: { "retry-after": "never" } }),
      { kind: "busy", retryAt: startOfTests + 5 * minuteMs },
    ],
    [Response.redirect("https://example.com/", 307), { kind: "refused", refusal: "invalid" }],
    [
      Response.json({ error: { message: "No such\n person" } }, { status: 422 }),
      {
        kind: "refused",
        refusal: "invalid",
        reason: "The receiver of the webhook rejected the action (422): No such person.",
      },
    ],
    [
      new Response("<html><body>Not found", { status: 404 }),
      { kind: "refused", reason: "The receiver of the webhook rejected the action (404)." },
    ],
    [new Response("x".repeat(5000), { status: 400 }), { kind: "refused", reason: expect.stringMatching(/x{200}…$/) }],
    [new Response(null, { status: 500 }), { kind: "unknown" }],
    [new Response(null, { status: 504 }), { kind: "unknown" }],
  ])("%# the status tells", async (answer, outcome) => {
    expect(await outcomeFor(answer)).toMatchObject(outcome);
  });

  test("a receiver that echoes the secret or its own address does not get them into a reason", async () => {
    await using receiver = await startWebhookReceiver();
    const { connector, account } = connectorAt(`${receiver.url}/?token=abc`);
    receiver.answerWith(() => new Response(`Bad: ${webhookSecret} at ${receiver.url}/?token=abc`, { status: 400 }));
    const outcome = await connector.carryOut(orderOf(), account, never);
    expect(outcome).toMatchObject({ reason: expect.stringContaining("Bad: [secret] at [secret].") });
  });
});

test.each([
  ["", "requires connectorSettings.url"],
  ["worker.example.com", "must be an https URL"],
  ["ftp://worker.example.com", "must be an https URL"],
  ["http://worker.example.com", "must use https"],
  ["http://10.0.0.1/", "must use https"],
  ["https://user:word@worker.example.com", "must not contain credentials"],
])("the address %j is a problem", (url, problem) => {
  const { connector, account } = connectorAt(url);
  expect(connector.problem?.(account)).toContain(problem);
});

test.each(["https://worker.example.com/actions?x=1", "http://127.0.0.1:5678/hook"])("the address %s is fine", (url) => {
  const { connector, account } = connectorAt(url);
  expect(connector.problem?.(account)).toBeNull();
});
