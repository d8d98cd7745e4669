import { besideName, isPersonKey } from "../../../../features/prospecting/keys.ts";
import type { KeyRuns } from "../../../../lib/key-index/key-runs.ts";
import type { Keys } from "../../../../features/prospecting/store.ts";

// Namesakes who both have an e-mail, or both have a profile, are told apart by those: a name makes two of them one only
// where what the one has is what the other lacks (`namesakeIsSame`). So the index has a name under another key for each
// of the four sets of what can stand beside it, and who looks for a person asks only for the sets that have nothing in
// common with its own. In most files every row has an e-mail, or every row a profile: then nobody hears of namesakes,
// of whom each would cost a page of the index and a row. Who came by more since is found as before, and by that as well.

const setsBeside = [besideName(false, false), besideName(true, false), besideName(false, true), besideName(true, true)];
/** Of the range of hashes, 53 bits: sets are a quarter of it apart, so that keys stay spread evenly, and even. */
const allHashes = 2 ** 53;
const quarter = allHashes / 4;

/** How many of the keys, the first ones, are those of a person. */
export function personKeysIn(keys: Keys): number {
  let count = 0;
  while (count < keys.length && isPersonKey(keys[count]!)) count++;
  return count;
}

/**
 * What the index has for the key at a place among those of a prospect, with what that has beside a name. It is stored,
 * so it must never change. A name under its plain key is that of somebody of whom nothing else is known.
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

/** Adds what the index is to be asked for to find the person with these keys; they may be those of its company too. */
export function addAskedKeys(keys: Keys, beside: number, asked: number[]): void {
  const count = personKeysIn(keys);
  const name = placeOfName(beside);
  for (let place = 0; place < count; place++)
    if (place === name) addAskedNames(keys[place]!, beside, asked);
    else asked.push(keys[place]!);
}

/** Adds the keys of those whom a name may make one with a person who has this beside it. */
export function addAskedNames(key: number, beside: number, asked: number[]): void {
  for (let at = 0; at < setsBeside.length; at++)
    if ((setsBeside[at]! & beside) === 0) asked.push(keyOfName(key, setsBeside[at]!));
}

/** The key of a name is the last of a person: behind one for each that stands beside it. */
function placeOfName(beside: number): number {
  return (beside & 1) + (beside >> 1);
}

function keyOfName(key: number, beside: number): number {
  const moved = key + beside * quarter;
  return moved < allHashes ? moved : moved - allHashes;
}
