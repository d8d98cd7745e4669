const firstDelayMs = 5_000;
const maxDelayMs = 3_600_000;

/**
 * The delay before attempt `attempt` + 1: 5 s, doubled each time, at most an hour, plus up to 50 percent at random
 * (`random` from 0 to 1), so that jobs that failed together are not retried together.
 */
export function retryDelayMs(attempt: number, random: number): number {
  const delay = Math.min(firstDelayMs * 2 ** Math.max(0, attempt - 1), maxDelayMs);
  return Math.round(delay * (1 + random / 2));
}
