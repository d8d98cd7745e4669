import { isRoleMailbox } from "../../platform/identity/role-mailbox.ts";

/**
 * An exact identifier of a person, in normal form: email address, canonical profile URL, or phone number. The address
 * of a former job no longer reaches the person and its domain is meaningless, but an objection made with it still
 * applies.
 */
export type Identifier = { kind: "email" | "formerEmail" | "profile" | "phone"; value: string };

/** Unique name of an identifier. */
export function identifierName({ kind, value }: Identifier): string {
  return `${kind}:${value}`;
}

/** Returns the identifiers stored together with this one in the data of one owner. */
export type StoredBeside = (identifier: Identifier) => readonly Identifier[];

/**
 * With more distinct neighbors than this, an identifier is considered shared (a switchboard, or a placeholder in an
 * import) and does not link people. More than one person has over several jobs, fewer than a company has employees.
 */
export const maxNeighbors = 20;
/** Limits the search for one person. Identifiers found up to the limit still count; the nearest ones come first. */
export const maxIdentifiers = 64;

/**
 * Yields all identifiers of the person with the given ones: the closure over exact links, nearest first, each once.
 * Role mailboxes and shared identifiers are included but not followed. Lazy, so that the caller can stop at the first
 * match.
 */
export function* identifiersOfPerson(
  start: readonly Identifier[],
  storedBeside: StoredBeside,
): Generator<Identifier, void, void> {
  const known = new Map<string, Identifier>();
  const add = (identifier: Identifier): void => {
    const name = identifierName(identifier);
    if (!known.has(name) && known.size < maxIdentifiers) known.set(name, identifier);
  };
  start.forEach(add);
  const own = [...known.values()];
  yield* own;
  let yielded = known.size;
  // Iterating a map visits entries added during the iteration, in insertion order: a breadth-first search.
  for (const identifier of known.values()) {
    if (!canLink(identifier)) continue;
    const neighbors = distinct(storedBeside(identifier));
    if (neighbors.length > maxNeighbors) continue;
    neighbors.forEach(add);
    yield* [...known.values()].slice(yielded);
    yielded = known.size;
  }
}

/**
 * Whether data stored with an identifier belongs to the same person. Companies reassign addresses of former employees.
 */
export function canLink({ kind, value }: Identifier): boolean {
  return kind !== "formerEmail" && !(kind === "email" && isRoleMailbox(value));
}

function distinct(identifiers: readonly Identifier[]): Identifier[] {
  return [...new Map(identifiers.map((each) => [identifierName(each), each])).values()];
}
