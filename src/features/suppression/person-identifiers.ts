import { isRoleMailbox } from "../../platform/identity/role-mailbox.ts";

/**
 * One exact way to reach a person: `emailForm` of an address, `canonicalProfileUrl` of a profile, `phoneNumber`. By the
 * address of a former job nobody is reached, and its domain says nothing, but who objected by it did so as a person.
 */
export type Identifier = { kind: "email" | "formerEmail" | "profile" | "phone"; value: string };

/** Tells identifiers apart. */
export function identifierName({ kind, value }: Identifier): string {
  return `${kind}:${value}`;
}

/** The identifiers that are stored together with this one in the data of one owner. */
export type StoredBeside = (identifier: Identifier) => readonly Identifier[];

/**
 * Beyond this many different neighbors an identifier is shared: a switchboard, or a placeholder in an import. It does not
 * link people then; more than a person has in several jobs, fewer than a company has colleagues.
 */
export const maxNeighbors = 20;
/** Bounds the search for one person. What was found up to here still counts; the nearest identifiers come first. */
export const maxIdentifiers = 64;

/**
 * Every identifier of the person who has these: the closure over exact links, nearest first, each once. Role mailboxes and
 * shared identifiers belong to the person but lead no further. Lazy, so that the caller can stop at the first match.
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
  // A map is walked in the order of insertion, including what is added meanwhile: a breadth-first search.
  for (const identifier of known.values()) {
    if (!canLink(identifier)) continue;
    const neighbors = distinct(storedBeside(identifier));
    if (neighbors.length > maxNeighbors) continue;
    neighbors.forEach(add);
    yield* [...known.values()].slice(yielded);
    yielded = known.size;
  }
}

/** Whether what is stored beside an identifier is of the same person. Companies give the addresses of those who left to others. */
export function canLink({ kind, value }: Identifier): boolean {
  return kind !== "formerEmail" && !(kind === "email" && isRoleMailbox(value));
}

function distinct(identifiers: readonly Identifier[]): Identifier[] {
  return [...new Map(identifiers.map((each) => [identifierName(each), each])).values()];
}
