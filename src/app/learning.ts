import type { Clock } from "../platform/base/clock.ts";
import type { LeadHintStore } from "../features/enrichment/directory-store.ts";

/** Maximum batches per run. */
const maxBatches = 4;

/**
 * Learns where leads work. It stays behind the newest lead so that no lead that is still being stored is skipped, and
 * it pauses during imports, which need the disk more.
 */
export function learning(hints: LeadHintStore, clock: Clock, isImporting: () => boolean): () => Promise<void> {
  return async () => {
    for (let n = 0; n < maxBatches && !isImporting() && (await hints.learn(clock.now() - hints.settlesAfterMs)); n++);
  };
}
