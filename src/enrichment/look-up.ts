import type { Clock } from "../clock.ts";
import type { EnrichField } from "./fields.ts";
import type { GuardedProvider } from "./provider-guard.ts";
import type { Merged, Subject } from "./model.ts";
import type { LookUpContext } from "./provider.ts";
import { extended, isWorthAsking, merge } from "./waterfall.ts";

/** `wasHindered`: somebody who might have known more could not be asked, or did not answer. */
export type LookedUp = { merged: Merged; wasHindered: boolean };

/**
 * Asks one provider after the other, in their order, about one person: those who can be asked with what is known, and
 * can still add to what is wanted. What one finds may be what another needs, so the order is gone through again after
 * each answer; nobody is asked twice.
 */
export async function lookUpPerson(
  input: Subject,
  wanted: ReadonlySet<EnrichField>,
  providers: readonly GuardedProvider[],
  context: LookUpContext,
  clock: Clock,
): Promise<LookedUp> {
  const waiting = new Set(providers);
  let merged: Merged = {};
  let wasHindered = false;
  for (;;) {
    const subject = extended(input, merged);
    const next = [...waiting].find(
      (provider) => provider.canLookUp(subject) && isWorthAsking(merged, wanted, provider.gives),
    );
    if (next === undefined) return { merged, wasHindered };
    waiting.delete(next);
    if (context.signal.aborted) return { merged, wasHindered: true };
    const outcome = await next.lookUp(subject, context);
    if (outcome.kind === "found") merged = merge(merged, next.name, outcome.findings, input, clock.now());
    else if (outcome.kind !== "none") wasHindered = true;
  }
}
