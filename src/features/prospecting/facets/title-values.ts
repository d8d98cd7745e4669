import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { folded } from "../../../platform/identity/names.ts";
import type { FacetCount, ProspectStore } from "../store.ts";
import type { TermQuery } from "./query.ts";
import { termKey } from "./terms.ts";
import { officesNamed } from "./title-synonyms.ts";
import { wantedTitle } from "./title-words.ts";

type Directory = Pick<ProspectStore, "search" | "facet">;
type TitleRequest = { workspaceId: WorkspaceId; text: string; limit: number; query: TermQuery };

/** A title that one in a hundred people has is missing from such a sample once in 20,000 times. */
const samplePages = 4;
const pageSize = 250;

/**
 * Titles of matching prospects as most people write them, most frequent first: "VP Sales", not the words that the index
 * contains. Common titles are found by a sample; the count of each is exact, and that of a filter by it. `text`: the
 * start of words of the title, or of another name of it.
 */
export async function titleValues(directory: Directory, request: TitleRequest): Promise<FacetCount[]> {
  const query = await withText(directory, request);
  if (query === null) return [];
  const { workspaceId, limit } = request;
  const titles = commonTitles(await sampleOf(directory, workspaceId, query), limit);
  const counted = await Promise.all(
    titles.map(async ({ label, terms }) => {
      const groups = [...query.groups, [terms.map(titleKey)]];
      const { total } = await directory.search({ workspaceId, query: { ...query, groups }, offset: 0, limit: 0 });
      return { value: label, label, count: total };
    }),
  );
  return counted.sort(byCount);
}

/** Titles from the beginning, the middle, and the end of the matches: the best records are not like the others. */
async function sampleOf(directory: Directory, workspaceId: WorkspaceId, query: TermQuery): Promise<string[]> {
  const first = await directory.search({ workspaceId, query, offset: 0, limit: pageSize });
  const step = Math.max(pageSize, Math.floor((first.total - pageSize) / (samplePages - 1)));
  const offsets = Array.from({ length: samplePages - 1 }, (_, page) => (page + 1) * step);
  const others = offsets
    .filter((offset) => offset < first.total)
    .map((offset) => directory.search({ workspaceId, query, offset, limit: pageSize }));
  const pages = [first, ...(await Promise.all(others))];
  return pages.flatMap(({ prospects }) => prospects.map(({ title }) => title)).filter((title) => title !== undefined);
}

function byCount(one: { count: number; label: string }, other: { count: number; label: string }): number {
  return other.count - one.count || (one.label < other.label ? -1 : 1);
}

type CommonTitle = { label: string; terms: string[] };

/** Spellings of one title, such as "VP, Sales" and "Vice President Sales", are one value: the most frequent of them. */
function commonTitles(titles: readonly string[], limit: number): CommonTitle[] {
  const groups = new Map<string, { count: number; terms: string[]; spellings: Map<string, number> }>();
  for (const title of titles) {
    const terms = wantedTitle(title);
    if (terms.length === 0) continue;
    const key = terms.toSorted().join(" ");
    const group = groups.get(key) ?? { count: 0, terms, spellings: new Map<string, number>() };
    group.count++;
    group.spellings.set(title, (group.spellings.get(title) ?? 0) + 1);
    groups.set(key, group);
  }
  return [...groups.values()]
    .map(({ count, terms, spellings }) => ({ count, terms, label: mostFrequent(spellings) }))
    .sort(byCount)
    .slice(0, limit);
}

function mostFrequent(spellings: ReadonlyMap<string, number>): string {
  const [[label] = [""]] = [...spellings].sort(([one, n], [other, m]) => m - n || (one < other ? -1 : 1));
  return label;
}

/** The query for people whose title has the text; null if no one's has. */
async function withText(directory: Directory, { workspaceId, text, query }: TitleRequest): Promise<TermQuery | null> {
  const words = folded(text).split(" ").filter(Boolean);
  const start = words.pop();
  if (start === undefined) return query;
  const before = wantedTitle(words.join(" "));
  const facet = { workspaceId, facet: "title", text: start, limit: maxStarts, query } as const;
  const found = await directory.facet(facet);
  const alternatives = [
    ...found.map(({ value }) => [...before, value]),
    wantedTitle(text),
    ...officesNamed(folded(text)).map((name) => [name]),
  ];
  const known = alternatives.filter((terms) => terms.length > 0).map((terms) => terms.map(titleKey));
  return known.length === 0 ? null : { ...query, groups: [...query.groups, known] };
}

/** Words that start with the text of a search. Rarer ones hardly have a frequent title. */
const maxStarts = 20;

function titleKey(value: string): string {
  return termKey({ facet: "title", value });
}
