const secondMs = 1000;
/** A longer delay is never intended; it comes from a wrong clock or unit. */
const longestMs = 30 * 86_400_000;

/**
 * Returns the time in a Retry-After header, given in seconds or as a date (RFC 9110 section 10.2.3); null without one.
 */
export function retryAfter(headers: Headers, now: number): number | null {
  const text = headers.get("retry-after")?.trim() ?? "";
  const at = /^\d+$/.test(text) ? now + Number(text) * secondMs : Date.parse(text);
  return Number.isNaN(at) ? null : notTooFar(at, now);
}

/** Limits an externally requested retry time to between a second and 30 days from now. */
export function notTooFar(at: number, now: number): number {
  return Math.min(Math.max(at, now + secondMs), now + longestMs);
}
