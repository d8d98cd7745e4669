import type { Clock } from "../platform/base/clock.ts";
import type { LeadHintStore } from "../features/enrichment/directory-store.ts";

/** So many batches in one go. */
const maxBatches = 4;

/**
 * Learns where leads work, behind the newest by two seconds, so that none that is being stored is passed over, and not
 * beside an import, which has better uses for the disk.
 */
export function learning(hints: LeadHintStore, clock: Clock, isImporting: () => boolean): () => Promise<void> {
  return async () => {
    for (let n = 0; n < maxBatches && !isImporting() && (await hints.learn(clock.now() - 2_000)); n++);
  };
}
