import type { CoolDown, Meter } from "./account-model.ts";

const hourMs = 3_600_000;
/** How long a meter rests after the first, second and every further limit signal in a row. */
const restsMs = [5 * hourMs, 24 * hourMs, 72 * hourMs];
/** A signal so long after the last rest begins anew. */
const forgottenAfterMs = 7 * 24 * hourMs;

/**
 * How long a meter rests after the network asked for fewer actions: longer with each signal in a row, and at least
 * until the network said (`retryAt`).
 */
export function nextCoolDown(
  meter: Meter,
  before: CoolDown | undefined,
  signal: { at: number; retryAt: number | null; reason: string },
): CoolDown {
  const isInARow = before !== undefined && signal.at < before.until + forgottenAfterMs;
  const level = isInARow ? Math.min(before.level + 1, restsMs.length) : 1;
  const until = Math.max(signal.at + (restsMs[level - 1] ?? 0), signal.retryAt ?? 0);
  return { meter, level, until, reason: signal.reason, since: signal.at };
}
