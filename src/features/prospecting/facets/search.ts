import {
  and,
  andNot,
  containerSize,
  countAnd,
  countOf,
  emptyContainer,
  newRoom,
  or,
  select,
  smallest,
  type Container,
} from "../../../lib/search-index/container.ts";
import type { TermQuery } from "./query.ts";
import { everyTerm, termKey, tiers, type TermFacet } from "./terms.ts";

// Long searches are generators that stop between two steps, each of which takes well under a millisecond: an engine
// without a thread of its own lets other work run meanwhile.

/** The inverted index of a directory, as of one moment. */
export type Postings<T extends { count: number }> = {
  /** By `termKey`; null if no prospect ever had it. */
  known(key: string): T | null;
  /** The containers of a term, as a function of the segment. */
  reader(term: T): Read;
  /** All values of a facet with their counts. */
  values(facet: string): ReadonlyMap<string, { label: string; count: number }>;
};
export type FoundNumbers = { total: number; numbers: number[] };
export type FacetValue = { value: string; label: string; count: number };

export type Read = (segment: number) => Container;

/** Matches of a query: one container per segment, from the first to the last. */
export function* matches<T extends { count: number }>(
  postings: Postings<T>,
  query: TermQuery,
  segmentCount: number,
): Generator<void, Container[], void> {
  const groups = query.groups.length > 0 ? query.groups : [[[everyTerm]]];
  const readers = groups.map((alternatives) => groupReader(postings, alternatives));
  if (readers.some((group) => group === null)) return [];
  // The rarest first: what it excludes need not be read for the others.
  const inOrder = readers.filter((group) => group !== null).sort((a, b) => a.most - b.most);
  const none = query.none.map((key) => postings.known(key)).filter((term) => term !== null);
  const excluded = none.map((term) => postings.reader(term));
  const room = newRoom();
  const found: Container[] = [];
  for (let segment = 0; segment < segmentCount; segment++) {
    found.push(smallest(matchesIn(segment)));
    yield;
  }
  return found;

  function matchesIn(segment: number): Container {
    let common: Container | null = null;
    for (const { read } of inOrder) {
      common = common === null ? read(segment) : and(common, read(segment), room);
      if (common.length === 0) return emptyContainer;
    }
    return excluded.reduce((left, read) => andNot(left, read(segment), room), common ?? emptyContainer);
  }
}

/** The terms that a search reads. */
export function termsOfQuery({ groups, none }: TermQuery): string[] {
  return [...new Set([everyTerm, ...groups.flat(2), ...none])];
}

/** The terms that the order of a search depends on. */
export const tierTerms = tiers.map((value) => termKey({ facet: "tier", value }));

/**
 * The number of matches, and the numbers of those from `offset` on: better tiers first, within a tier in the order of
 * creation. Matches before the page are counted, not visited, so that a deep page costs as much as the first one.
 */
export function foundNumbers<T extends { count: number }>(
  postings: Postings<T>,
  found: readonly Container[],
  offset: number,
  limit: number,
): FoundNumbers {
  const total = found.reduce((sum, container) => sum + countOf(container), 0);
  const numbers: number[] = [];
  let skip = offset;
  if (skip >= total || limit === 0) return { total, numbers };
  for (const key of tierTerms) {
    const tier = postings.known(key);
    if (tier === null || tier.count === 0) continue;
    const read = postings.reader(tier);
    for (let segment = 0; segment < found.length && numbers.length < limit; segment++) {
      const container = found[segment]!;
      if (container.length === 0) continue;
      const count = countAnd(container, read(segment));
      if (skip >= count) {
        skip -= count;
        continue;
      }
      for (const number of select(and(container, read(segment)), skip, limit - numbers.length))
        numbers.push(segment * containerSize + number);
      skip = 0;
    }
    if (numbers.length === limit) break;
  }
  return { total, numbers };
}

/** Numbers of about `size` matches, in runs at places that are equally far from each other; all if there are no more. */
export function sampleNumbers(found: readonly Container[], size: number): number[] {
  const total = found.reduce((sum, container) => sum + countOf(container), 0);
  const runs = total <= size ? 1 : sampleRuns;
  const length = Math.min(total, Math.ceil(size / runs));
  const starts = Array.from({ length: runs }, (_, run) => Math.floor((run * (total - length)) / Math.max(runs - 1, 1)));
  return starts.flatMap((start) => numbersFrom(found, start, length));
}

const sampleRuns = 8;

function numbersFrom(found: readonly Container[], offset: number, limit: number): number[] {
  const numbers: number[] = [];
  let skip = offset;
  for (let segment = 0; segment < found.length && numbers.length < limit; segment++) {
    const container = found[segment]!;
    const count = countOf(container);
    if (skip < count)
      for (const number of select(container, skip, limit - numbers.length))
        numbers.push(segment * containerSize + number);
    skip = Math.max(0, skip - count);
  }
  return numbers;
}

/** How many of the matches have all of these terms, for each of several lists of terms. */
export function* matchCounts<T extends { count: number }>(
  postings: Postings<T>,
  found: readonly Container[],
  lists: readonly (readonly string[])[],
): Generator<void, number[], void> {
  const counts: number[] = [];
  for (const keys of lists) {
    const group = groupReader(postings, [[...keys]]);
    let count = 0;
    for (let segment = 0; group !== null && segment < found.length; segment++)
      if (found[segment]!.length > 0) count += countAnd(found[segment]!, group.read(segment));
    counts.push(count);
    yield;
  }
  return counts;
}

/** Values of a facet that occur in a container, most frequent first. `found`: null for all prospects. */
export function* facetValues<T extends { count: number }>(
  postings: Postings<T>,
  facet: TermFacet,
  text: string,
  limit: number,
  found: readonly Container[] | null,
): Generator<void, FacetValue[], void> {
  const candidates = valuesToCount(postings, facet, text, found === null ? limit : countedAtMost);
  if (found === null) return candidates;
  const counted: FacetValue[] = [];
  for (const { value, label } of candidates) {
    const term = postings.known(termKey({ facet, value }));
    const read = term && postings.reader(term);
    const count = found.reduce((sum, container, segment) => sum + (read ? countAnd(container, read(segment)) : 0), 0);
    if (count > 0) counted.push({ value, label, count });
    yield;
  }
  return counted.sort(byCount).slice(0, limit);
}

/** The values of a facet that are most frequent among all prospects, at most `limit`. */
export function valuesToCount<T extends { count: number }>(
  postings: Pick<Postings<T>, "values">,
  facet: TermFacet,
  text: string,
  limit = countedAtMost,
): FacetValue[] {
  return [...postings.values(facet)]
    .map(([value, { label, count }]) => ({ value, label, count }))
    .filter(({ value, count }) => count > 0 && (text === "" || isIn(value, text)))
    .sort(byCount)
    .slice(0, limit);
}

function byCount(a: FacetValue, b: FacetValue): number {
  return b.count - a.count || (a.value < b.value ? -1 : 1);
}

/** With a filter, only the values that are most frequent overall are counted; counting all would take seconds. */
const countedAtMost = 500;

/** Whether a word of the value starts with the text. */
function isIn(value: string, text: string): boolean {
  return value.startsWith(text) || value.includes(` ${text}`);
}

/** Null if none of the alternatives has a match. `most`: an upper bound of the number of matches. */
function groupReader<T extends { count: number }>(
  postings: Postings<T>,
  alternatives: string[][],
): { read: Read; most: number } | null {
  const parts = alternatives
    .map((keys) => keys.map((key) => postings.known(key)))
    .filter((terms): terms is T[] => terms.every((term) => term !== null && term.count > 0))
    .map((terms) => termsReader(postings, terms));
  const [only] = parts;
  if (only === undefined) return null;
  if (parts.length === 1) return only;
  const room = newRoom();
  return {
    read: (segment) =>
      or(
        parts.map(({ read }) => read(segment)).filter((container) => container.length > 0),
        room,
      ),
    most: parts.reduce((sum, { most }) => sum + most, 0),
  };
}

function termsReader<T extends { count: number }>(
  postings: Postings<T>,
  terms: readonly T[],
): { read: Read; most: number } {
  const inOrder = terms.toSorted((a, b) => a.count - b.count);
  const [first, ...others] = inOrder.map((term) => postings.reader(term));
  const room = newRoom();
  return {
    read: (segment) =>
      others.reduce((found, read) => (found.length === 0 ? found : and(found, read(segment), room)), first!(segment)),
    most: inOrder[0]!.count,
  };
}
