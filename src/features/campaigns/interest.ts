import type { WorkspaceId } from "../../platform/base/ids.ts";
import { funnelChange, summed, type CountedEnrollment, type FunnelChange } from "./funnel-marks.ts";
import type { Enrollment } from "./model.ts";
import { contactsIn } from "./trail.ts";

/** A person in the conversations of one account. */
export type InterestSubject = { workspaceId: WorkspaceId; accountId: string; profileKey: string };

type Credited = CountedEnrollment & Pick<Enrollment, "id">;
type InterestUpdate = { ids: string[]; values: Pick<Enrollment, "interestedAt">; funnel: FunnelChange[] };

/**
 * Whether a person is interested, as a label of their conversation says; `at` null: no longer. Only the campaign that got the
 * latest reply is credited, or the one that wrote last if nobody has noted a reply. The first time counts.
 */
export function decideInterest(enrollments: readonly Credited[], at: number | null): InterestUpdate {
  const values = { interestedAt: at };
  const chosen = at === null ? enrollments.filter(isInterested) : creditedNow(enrollments);
  return {
    ids: chosen.map(({ id }) => id),
    values,
    funnel: summed(chosen.flatMap((each) => funnelChange(each, { ...each, ...values }))),
  };
}

function creditedNow(enrollments: readonly Credited[]): Credited[] {
  if (enrollments.some(isInterested)) return [];
  const contactedAt = ({ trail }: Credited) => contactsIn(trail).at(-1)?.[1] ?? 0;
  const latest = enrollments
    .filter((each) => each.repliedAt !== null || contactedAt(each) > 0)
    .toSorted((a, b) => (a.repliedAt ?? 0) - (b.repliedAt ?? 0) || contactedAt(a) - contactedAt(b))
    .at(-1);
  return latest === undefined ? [] : [latest];
}

const isInterested = ({ interestedAt }: Credited): boolean => interestedAt !== null;
