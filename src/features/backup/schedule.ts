import { Cron } from "croner";

/** The shorter one of the next two intervals between the times of a cron pattern in UTC. */
export function shortestGapMs(pattern: string, now: number): number {
  const cron = new Cron(pattern, { paused: true, utcOffset: 0 });
  const [first = Infinity, second = Infinity] = cron.nextRuns(2, new Date(now)).map((at) => at.getTime());
  cron.stop();
  return Math.min(first - now, second - first);
}
