/**
 * A lock that a transaction takes before it reads what it decides by. Any number of transactions share one that all of
 * them ask for as shared. An engine with a single writer needs none.
 */
export type Lock = { key: string; isShared: boolean };

/** In the order in which every transaction takes them, so that no two wait for each other; each key once. */
export function inOrder(locks: readonly Lock[]): Lock[] {
  const byKey = new Map<string, Lock>();
  for (const lock of locks) if (byKey.get(lock.key)?.isShared !== false) byKey.set(lock.key, lock);
  return [...byKey.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
