import { termKey, tiers } from "../../../../features/prospecting/facets/terms.ts";
import type { TermQuery } from "../../../../features/prospecting/facets/query.ts";
import {
  and,
  andNot,
  countAnd,
  countOf,
  emptyContainer,
  newRoom,
  or,
  select,
  smallest,
} from "../../../../lib/search-index/container.ts";
import type { Container } from "../../../../lib/search-index/container.ts";
import { everyTerm } from "./directory-index.ts";
import type { FacetValue, FoundNumbers } from "./index-messages.ts";
import { segments, type Postings, type TermPostings } from "./postings.ts";

type Read = (segment: number) => Container;

/** Matches of a query: one container per segment, from the first to the last. */
export function matches(postings: Postings, query: TermQuery, segmentCount: number): Container[] {
  const groups = query.groups.length > 0 ? query.groups : [[[everyTerm]]];
  const readers = groups.map((alternatives) => groupReader(postings, alternatives));
  if (readers.some((group) => group === null)) return [];
  // The rarest first: what it excludes need not be read for the others.
  const inOrder = readers.filter((group) => group !== null).sort((a, b) => a.most - b.most);
  const none = query.none.map((key) => postings.known(key)).filter((term) => term !== null);
  const excluded = none.map((term) => postings.reader(term));
  const room = newRoom();
  return Array.from({ length: segmentCount }, (_, segment) => {
    let found: Container | null = null;
    for (const { read } of inOrder) {
      found = found === null ? read(segment) : and(found, read(segment), room);
      if (found.length === 0) return emptyContainer;
    }
    for (const read of excluded) found = andNot(found ?? emptyContainer, read(segment), room);
    return smallest(found ?? emptyContainer);
  });
}

/**
 * The number of matches, and the numbers of those from `offset` on: better tiers first, within a tier in the order of
 * creation. Matches before the page are counted, not visited, so that a deep page costs as much as the first one.
 */
export function foundNumbers(postings: Postings, found: Container[], offset: number, limit: number): FoundNumbers {
  const total = found.reduce((sum, container) => sum + countOf(container), 0);
  const numbers: number[] = [];
  let skip = offset;
  if (skip >= total || limit === 0) return { total, numbers };
  for (const value of tiers) {
    const tier = postings.known(termKey({ facet: "tier", value }));
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
        numbers.push(segment * segments + number);
      skip = 0;
    }
    if (numbers.length === limit) break;
  }
  return { total, numbers };
}

/** Values of a facet that occur in a container, most frequent first. */
export function facetValues(
  postings: Postings,
  facet: string,
  text: string,
  limit: number,
  found: Container[] | null,
): FacetValue[] {
  const values = [...postings.values(facet)].map(([value, { label, count }]) => ({ value, label, count }));
  const inOrder = values
    .filter(({ value, count }) => count > 0 && (text === "" || isIn(value, text)))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  if (found === null) return inOrder.slice(0, limit);
  const counted = inOrder.slice(0, countedAtMost).map(({ value, label }) => {
    const term = postings.known(termKey({ facet: facet as "title", value }));
    const read = term && postings.reader(term);
    const count = found.reduce((sum, container, segment) => sum + (read ? countAnd(container, read(segment)) : 0), 0);
    return { value, label, count };
  });
  return counted
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, limit);
}

/** With a filter, only the values that are most frequent overall are counted; counting all would take seconds. */
const countedAtMost = 500;

/** Whether a word of the value starts with the text. */
function isIn(value: string, text: string): boolean {
  return value.startsWith(text) || value.includes(` ${text}`);
}

/** Null if none of the alternatives has a match. `most`: an upper bound of the number of matches. */
function groupReader(postings: Postings, alternatives: string[][]): { read: Read; most: number } | null {
  const parts = alternatives
    .map((keys) => keys.map((key) => postings.known(key)))
    .filter((terms): terms is TermPostings[] => terms.every((term) => term !== null && term.count > 0))
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

function termsReader(postings: Postings, terms: TermPostings[]): { read: Read; most: number } {
  const inOrder = terms.toSorted((a, b) => a.count - b.count);
  const [first, ...others] = inOrder.map((term) => postings.reader(term));
  const room = newRoom();
  return {
    read: (segment) =>
      others.reduce((found, read) => (found.length === 0 ? found : and(found, read(segment), room)), first!(segment)),
    most: inOrder[0]!.count,
  };
}
