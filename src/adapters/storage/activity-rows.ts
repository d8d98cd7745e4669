import type { Meter } from "../../features/network/meter-model.ts";
import type { ActivityCounts } from "../../features/statistics/store.ts";
import { meterOf } from "./meter-code.ts";

/** Meters of what is sent to a person. */
export const sentMeters = ["invites", "messages", "inMails"] as const satisfies readonly Meter[];

/** A count: in which interval, and of what. `kind` is the code of a meter, or a name. */
export type ActivityRow = { part: number; kind: number | string; n: number };

/** The counts of each interval between two bounds, also of those without any. */
export function activityOf(rows: readonly ActivityRow[], bounds: readonly number[]): ActivityCounts[] {
  const counts = bounds.slice(1).map(() => ({ invites: 0, messages: 0, accepted: 0, replied: 0 }));
  for (const { part, kind, n } of rows) {
    const name = typeof kind === "number" ? nameOf(meterOf(kind)) : kind;
    const interval = counts[part];
    if (interval !== undefined && name in interval) interval[name as keyof ActivityCounts] += n;
  }
  return counts;
}

function nameOf(meter: Meter): keyof ActivityCounts {
  return meter === "invites" ? "invites" : "messages";
}
