import type { components } from "./schema.js";

/** Why a webhook must not be trusted. */
export declare class WebhookError extends Error {}

/** What a webhook brings. */
export type WebhookEvent = {
  type: components["schemas"]["Event"]["type"];
  /** ISO 8601. */
  timestamp: string;
  data: Record<string, unknown>;
};

/**
 * Checks the signature of a webhook and returns its event. Throws a `WebhookError` if it was not signed with the secret, or
 * more than `toleranceSeconds` (default: 300) ago, and a `TypeError` if the secret is empty or not Base64. `body` is the raw
 * text of the request.
 */
export declare function verifyWebhook(
  body: string,
  headers: Headers | Record<string, string | string[] | undefined>,
  secret: string,
  options?: { toleranceSeconds?: number; now?: number },
): Promise<WebhookEvent>;
