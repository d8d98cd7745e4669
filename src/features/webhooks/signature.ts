import type { Ids } from "../../platform/base/ids.ts";

const prefix = "whsec_";
/** Standard Webhooks wants 24 to 64. */
const secretBytes = 32;

export function createWebhookSecret(ids: Ids): string {
  return prefix + Buffer.from(ids.secretBytes(secretBytes)).toString("base64");
}

/**
 * The headers that let a receiver know who posts, by the rules of Standard Webhooks (standardwebhooks.com): one
 * signature for each secret, in their order. `at` is the moment of the attempt. By hand and not by the package of the
 * same name, which takes 10 ms for half a megabyte; the tests let that package verify.
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
