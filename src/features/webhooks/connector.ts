/** A signed message on its way to a receiver. */
export type Message = { url: string; headers: Readonly<Record<string, string>>; body: string; timeoutMs: number };

/**
 * What came of an attempt; never an exception. answered: whatever the status; `retryAt` is the moment that its
 * Retry-After names. failed: there was no answer; `reason` is a sentence for a person.
 */
export type PostOutcome =
  | { kind: "answered"; status: number; retryAt: number | null; excerpt: string }
  | { kind: "failed"; reason: string };

/** The way to receivers of webhooks. */
export type WebhookConnector = {
  /** A sentence on why nothing can be posted to this address, or null. Asks nobody. */
  problem(url: string): string | null;
  post(message: Message, signal: AbortSignal): Promise<PostOutcome>;
};
