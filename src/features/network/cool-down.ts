import type { CoolDown } from "./account-model.ts";
import type { Meter } from "./meter-model.ts";

const hourMs = 3_600_000;
/** How long a meter is suspended after the first, the second, and every further consecutive limit signal. */
const durationsMs = [5 * hourMs, 24 * hourMs, 72 * hourMs];
/** A signal this long after the end of the last cool-down starts at the first level again. */
const resetAfterMs = 7 * 24 * hourMs;

/**
 * The cool-down of a meter after the network asked the account to slow down: longer with each consecutive signal, and at
 * least until the time that the network gave (`retryAt`).
 */
export function nextCoolDown(
  meter: Meter,
  before: CoolDown | undefined,
  signal: { at: number; retryAt: number | null; reason: string },
): CoolDown {
  const isConsecutive = before !== undefined && signal.at < before.until + resetAfterMs;
  const level = isConsecutive ? Math.min(before.level + 1, durationsMs.length) : 1;
  const until = Math.max(signal.at + (durationsMs[level - 1] ?? 0), signal.retryAt ?? 0);
  return { meter, level, until, reason: signal.reason, since: signal.at };
}
