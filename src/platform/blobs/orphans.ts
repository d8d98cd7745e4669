import type { BlobStore } from "./blob-store.ts";
import type { StoredBlob } from "./model.ts";

/** Longer than any upload takes: its row follows at its end. */
const sharedOrphanMs = 86_400_000;

/**
 * Whether a blob that no row refers to may be removed. A blob is stored before its row. A process knows which uploads of
 * its own are in progress, but not those of other processes.
 */
export function mayBeOrphan(
  { changedAt }: StoredBlob,
  { isShared }: Pick<BlobStore, "isShared">,
  now: number,
): boolean {
  return !isShared || changedAt < now - sharedOrphanMs;
}
