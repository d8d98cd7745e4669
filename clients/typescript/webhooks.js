const prefix = "whsec_";

/** Why a webhook must not be trusted. */
export class WebhookError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "WebhookError";
  }
}

/** Standard Webhooks (standardwebhooks.com): HMAC-SHA256 of ID, time, and body. */
export async function verifyWebhook(body, headers, secret, { toleranceSeconds = 300, now = Date.now() } = {}) {
  const bytes = decode(typeof secret === "string" && secret.startsWith(prefix) ? secret.slice(prefix.length) : secret);
  if (bytes.length === 0)
    throw new TypeError(
      "The secret of the webhook is empty or not Base64. Pass the whsec_… that was shown when the webhook was created.",
    );
  const get = (name) => (typeof headers.get === "function" ? headers.get(name) : headers[name]) ?? "";
  const [id, timestamp, signatures] = [get("webhook-id"), get("webhook-timestamp"), get("webhook-signature")];
  if (!id || !timestamp || !signatures) throw new WebhookError("The webhook has no signature.");
  // An old request may be a repetition by someone who recorded it.
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw new WebhookError("The webhook was sent too long ago, or the clocks differ.");
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of signatures.split(" ")) {
    const [version, value] = signature.split(",", 2);
    // `verify` compares in constant time.
    if (version === "v1" && value && (await crypto.subtle.verify("HMAC", key, decode(value), signed)))
      return JSON.parse(body);
  }
  throw new WebhookError("The signature of the webhook is wrong.");
}

function decode(base64) {
  try {
    return Uint8Array.from(atob(base64 ?? ""), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
