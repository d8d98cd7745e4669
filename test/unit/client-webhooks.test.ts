import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { join } from "node:path";

type Verify = (body: string, headers: Record<string, string>, secret: unknown) => Promise<unknown>;
// Its declarations refer to a schema that a release generates.
const client = (await import(join(import.meta.dir, "../../clients/typescript/webhooks.js"))) as {
  verifyWebhook: Verify;
};

const body = JSON.stringify({ type: "lead.created" });

function signedWith(key: Uint8Array): Record<string, string> {
  const timestamp = `${Math.floor(Date.now() / 1000)}`;
  const signature = createHmac("sha256", key).update(`m1.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": "m1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

test("a webhook that was signed with the secret is an event", async () => {
  const key = new Uint8Array(32).fill(7);
  const secret = `whsec_${Buffer.from(key).toString("base64")}`;
  expect(await client.verifyWebhook(body, signedWith(key), secret)).toEqual({ type: "lead.created" });
  const forged = client.verifyWebhook(body, signedWith(new Uint8Array(32)), secret);
  await expect(forged).rejects.toThrow("The signature of the webhook is wrong.");
});

test.each(["", "whsec_", undefined, "not/base64!"])("the secret %p is refused, whoever signed", async (secret) => {
  const verified = client.verifyWebhook(body, signedWith(new Uint8Array()), secret);
  await expect(verified).rejects.toThrow("The secret of the webhook is empty or not Base64.");
});
