/** A signed request to a receiver. */
export type Message = { url: string; headers: Readonly<Record<string, string>>; body: string; timeoutMs: number };

/**
 * Outcome of an attempt; never an exception. `answered`: a response with any status; `retryAt` comes from its
 * Retry-After header. `failed`: no response; `reason` is a sentence for the user.
 */
export type PostOutcome =
  | { kind: "answered"; status: number; retryAt: number | null; excerpt: string }
  | { kind: "failed"; reason: string };

/** Port for posting webhooks to receivers. */
export type WebhookConnector = {
  /** Why this URL cannot be used, as a sentence, or null if it can. Makes no network requests. */
  problem(url: string): string | null;
  post(message: Message, signal: AbortSignal): Promise<PostOutcome>;
};
