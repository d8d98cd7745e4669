const firstDelayMs = 5_000;
const longestDelayMs = 3_600_000;

/**
 * How long to wait before attempt `attempt` + 1: 5 s, doubled each time, at most an hour, and up to half as much again
 * at random (`random` from 0 to 1), so that jobs that failed together do not come back together.
 */
export function retryDelayMs(attempt: number, random: number): number {
  const delay = Math.min(firstDelayMs * 2 ** Math.max(0, attempt - 1), longestDelayMs);
  return Math.round(delay * (1 + random / 2));
}
