import type { Enrollment } from "./model.ts";
import { contactsIn, creditedStep } from "./trail.ts";

/** Stages of the funnel, in order. Each is reached at most once by an enrollment, and stays reached. */
export const stages = ["enrolled", "contacted", "connected", "replied", "interested"] as const;
export type Stage = (typeof stages)[number];

/**
 * What an enrollment is counted as:
 * - a stage that it reached, on the day it did, with the step and variant that it is credited to;
 * - each step that it left, with the day and how (`Exit`);
 * - its place: the state and the step, without a day.
 */
export type Mark = { mark: string; day: number; step: number; variant: string };

/** A change of the number of enrollments with a mark. */
export type FunnelChange = Mark & { campaignId: string; accountId: string; change: number };

/** Days since 1970, in UTC: one campaign may have accounts in many time zones. */
export const dayMs = 86_400_000;
export const noStep = -1;
const noDay = 0;
const noVariant = "";

/** The parts of an enrollment that determine its marks. */
export type CountedEnrollment = Pick<
  Enrollment,
  | "campaignId"
  | "accountId"
  | "state"
  | "atStep"
  | "createdAt"
  | "connectedAt"
  | "repliedAt"
  | "interestedAt"
  | "trail"
  | "variants"
>;

/** Everything that an enrollment is counted as. The counters of a campaign are the sum over its enrollments. */
export function marksOf(enrollment: CountedEnrollment): Mark[] {
  const { state, atStep, createdAt, connectedAt, repliedAt, interestedAt, trail } = enrollment;
  const variantAt = (step: number | null) => (step === null ? noVariant : (enrollment.variants[step] ?? noVariant));
  const markAt = (mark: string, at: number, step: number | null): Mark => {
    return { mark, day: Math.floor(at / dayMs), step: step ?? noStep, variant: variantAt(step) };
  };
  const marks: Mark[] = [
    { mark: state, day: noDay, step: atStep, variant: noVariant },
    markAt("enrolled", createdAt, null),
    ...trail.map(([step, at, exit]) => markAt(exit, at, step)),
  ];
  const [contact] = contactsIn(trail);
  if (contact !== undefined) marks.push(markAt("contacted", contact[1], contact[0]));
  if (connectedAt !== null)
    marks.push(markAt("connected", connectedAt, creditedStep(trail, connectedAt, "acceptance")));
  if (repliedAt !== null) marks.push(markAt("replied", repliedAt, creditedStep(trail, repliedAt, "reply")));
  if (interestedAt !== null)
    // Interest shows in a reply, and is recorded when a person has read it.
    marks.push(markAt("interested", interestedAt, creditedStep(trail, repliedAt ?? interestedAt, "reply")));
  return marks;
}

/** What changes in the counters when an enrollment does; null: it does not exist. */
export function funnelChange(before: CountedEnrollment | null, after: CountedEnrollment | null): FunnelChange[] {
  return summed([...changesOf(before, -1), ...changesOf(after, 1)]);
}

/** One change for each counter, without those that change nothing. */
export function summed(changes: readonly FunnelChange[]): FunnelChange[] {
  const byCounter = new Map<string, FunnelChange>();
  for (const change of changes) {
    const { campaignId, accountId, mark, day, step, variant } = change;
    const counter = JSON.stringify([campaignId, accountId, mark, day, step, variant]);
    const before = byCounter.get(counter);
    byCounter.set(counter, before === undefined ? change : { ...before, change: before.change + change.change });
  }
  return [...byCounter.values()].filter(({ change }) => change !== 0);
}

function changesOf(enrollment: CountedEnrollment | null, change: 1 | -1): FunnelChange[] {
  if (enrollment === null) return [];
  const { campaignId, accountId } = enrollment;
  return marksOf(enrollment).map((mark) => ({ campaignId, accountId, ...mark, change }));
}
