import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { createWebhookSecret, signedHeaders } from "../../src/features/webhooks/signature.ts";
import { createIds } from "../support/ids.ts";

const ids = createIds();
const body = JSON.stringify({ type: "lead.created", data: { note: "grüße 👋" } });

test("a secret is whsec_ and the base64 of 32 bytes", () => {
  const secret = createWebhookSecret(ids);
  expect(secret).toStartWith("whsec_");
  expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
  expect(createWebhookSecret(ids)).not.toBe(secret);
});

test("the package of Standard Webhooks verifies what we sign, and nothing that was tampered with", () => {
  const secret = createWebhookSecret(ids);
  const headers = signedHeaders("msg_1_a", Date.now(), body, [secret]);
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  for (const [text, sent] of [
    [`${body} `, headers],
    [body, { ...headers, "webhook-id": "msg_2_a" }],
    [body, { ...headers, "webhook-timestamp": `${Number(headers["webhook-timestamp"]) + 1}` }],
  ] as const)
    expect(() => new Webhook(secret).verify(text, sent)).toThrow();
  expect(() => new Webhook(createWebhookSecret(ids)).verify(body, headers)).toThrow();
});

test("while a secret is changed, receivers with either of the two can verify", () => {
  const [fresh, old] = [createWebhookSecret(ids), createWebhookSecret(ids)];
  const headers = signedHeaders("msg_1_a", Date.now(), body, [fresh, old]);
  expect(headers["webhook-signature"]!.split(" ")).toHaveLength(2);
  for (const secret of [fresh, old]) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
});

test("the time is that of the attempt, in whole seconds", () => {
  expect(signedHeaders("msg_1_a", 1_767_607_200_999, "", ["whsec_AA=="])["webhook-timestamp"]).toBe("1767607200");
});
