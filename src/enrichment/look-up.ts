import type { Clock } from "../clock.ts";
import type { EnrichField } from "./fields.ts";
import type { GuardedOutcome, GuardedProvider } from "./provider-guard.ts";
import type { Merged, Subject } from "./model.ts";
import type { LookUpContext } from "./provider.ts";
import { extended, isWorthAsking, merge } from "./waterfall.ts";

/** What is known of a person, and the names of those who have said what they know. */
export type Known = { merged: Merged; asked: readonly string[] };
export const nothingKnown: Known = { merged: {}, asked: [] };

/**
 * `hindered`: who could still add to what is wanted, but could not be asked, or did not answer; `paused` are those of
 * them who were not asked because they pause.
 */
export type LookedUp = { merged: Merged; asked: string[]; hindered: string[]; paused: string[] };

/**
 * Asks one provider after the other, in their order, about one person: those who can
 * still add to what is wanted. What one finds may be what another needs, so the order is gone through again after
 * each answer; nobody is asked twice, nor who was asked for what is `known` already.
 */
export async function lookUpPerson(
  input: Subject,
  wanted: ReadonlySet<EnrichField>,
  providers: readonly GuardedProvider[],
  context: LookUpContext,
  clock: Clock,
  known = nothingKnown,
): Promise<LookedUp> {
  let { merged } = known;
  let subject = extended(input, merged);
  const asked = [...known.asked];
  const waiting = new Set(providers.filter(({ name }) => !asked.includes(name)));
  const hindered: GuardedProvider[] = [];
  const paused: GuardedProvider[] = [];
  const canAdd = (provider: GuardedProvider): boolean => isWorthAsking(merged, wanted, provider.brings(subject));
  for (;;) {
    const next = [...waiting].find(canAdd);
    if (next === undefined) {
      const namesOf = (list: readonly GuardedProvider[]) => list.filter(canAdd).map(({ name }) => name);
      return { merged, asked, hindered: namesOf(hindered), paused: namesOf(paused) };
    }
    waiting.delete(next);
    const outcome = context.signal.aborted ? outOfTime : await next.lookUp(subject, context);
    if (outcome.kind === "found") {
      merged = merge(merged, next.name, outcome.findings, input, clock.now());
      subject = extended(input, merged);
    }
    if (outcome.kind === "found" || outcome.kind === "none") asked.push(next.name);
    else hindered.push(next);
    if (outcome.kind === "paused" || outcome.kind === "skipped") paused.push(next);
  }
}

const outOfTime: GuardedOutcome = { kind: "failed", reason: "The time was over" };
