import { besideName, isPersonKey } from "./keys.ts";
import type { KeyRuns } from "../../lib/key-index/key-runs.ts";
import type { Keys } from "./directory-model.ts";

// Namesakes who both have an email address, or both have a profile, are distinguished by these: the name identifies a person
// only if each has what the other lacks (`namesakeIsSame`). So the index stores a name under a different key for each of the
// four sets of identifiers that a record can have, and a lookup asks only for the sets that are disjoint with its own. In
// most files, every row has an email address, or every row has a profile: then namesakes are never read, each of which would
// cost a page of the index and a row. A record that gains an identifier is found by both keys.

const setsBeside = [besideName(false, false), besideName(true, false), besideName(false, true), besideName(true, true)];
/** The range of hashes, 53 bits. Sets are a quarter of it apart, so that keys stay evenly spread, and even. */
const allHashes = 2 ** 53;
const quarter = allHashes / 4;

/** Number of keys that belong to the person: the first ones. */
export function personKeysIn(keys: Keys): number {
  let count = 0;
  while (count < keys.length && isPersonKey(keys[count]!)) count++;
  return count;
}

/**
 * The key in the index for the key at `place` of a prospect. It is stored, so this function must never change. The plain
 * key of a name is used if nothing else is known about the person.
 */
export function indexedKey(key: number, place: number, beside: number): number {
  return place === placeOfName(beside) && isPersonKey(key) ? keyOfName(key, beside) : key;
}

/** Adds the keys of a prospect, which may be a part of a list; `beside`: see `besideName`. */
export function addKeys(runs: KeyRuns, keys: Keys, beside: number, number: number, start = 0, end = keys.length): void {
  for (let at = start; at < end; at++) runs.add(indexedKey(keys[at]!, at - start, beside), number);
}

/** As `addKeys`, of a column `keys`: little-endian, 64-bit floats. */
export function addKeyColumn(runs: KeyRuns, bytes: Uint8Array, beside: number, number: number): void {
  hashBytes.set(bytes); // a view of other memory for each prospect would cost more than everything else here
  addKeys(runs, hashes, beside, number, 0, bytes.length / 8);
}

/** A prospect has at most five, and those of its former addresses. */
const hashes = new Float64Array(16);
const hashBytes = new Uint8Array(hashes.buffer);

/** Adds the keys to look up in the index for a person. `keys` may also contain those of the company. */
export function addAskedKeys(keys: Keys, beside: number, asked: number[]): void {
  const count = personKeysIn(keys);
  const name = placeOfName(beside);
  for (let place = 0; place < count; place++)
    if (place === name) addAskedNames(keys[place]!, beside, asked);
    else asked.push(keys[place]!);
}

/** Adds the keys of namesakes who may be the same person. */
export function addAskedNames(key: number, beside: number, asked: number[]): void {
  for (let at = 0; at < setsBeside.length; at++)
    if ((setsBeside[at]! & beside) === 0) asked.push(keyOfName(key, setsBeside[at]!));
}

/** The key of the name is the last key of a person, after one for each identifier. */
function placeOfName(beside: number): number {
  return (beside & 1) + (beside >> 1);
}

function keyOfName(key: number, beside: number): number {
  const moved = key + beside * quarter;
  return moved < allHashes ? moved : moved - allHashes;
}
