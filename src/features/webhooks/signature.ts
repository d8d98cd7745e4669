import type { Ids } from "../../platform/base/clock.ts";

const prefix = "whsec_";
/** Standard Webhooks requires 24 to 64 bytes. */
const secretBytes = 32;

export function createWebhookSecret(ids: Ids): string {
  return prefix + Buffer.from(ids.secretBytes(secretBytes)).toString("base64");
}

/**
 * Headers that authenticate the sender, as defined by Standard Webhooks (standardwebhooks.com): one signature per
 * secret, in order. `at` is the time of the attempt. Implemented here because the `standardwebhooks` package takes 10
 * ms for half a megabyte; the tests verify the signatures with that package.
 */
export function signedHeaders(
  id: string,
  at: number,
  body: string,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = `${Math.floor(at / 1000)}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    return `v1,${new Bun.CryptoHasher("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
