import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { folded } from "../../../platform/identity/names.ts";
import type { FacetCount, ProspectStore } from "../store.ts";
import type { TermQuery } from "./query.ts";
import { termKey } from "./terms.ts";
import { officesNamed } from "./title-synonyms.ts";
import { wantedTitle } from "./title-words.ts";

type Directory = Pick<ProspectStore, "sample" | "matchCounts" | "facet">;
type TitleRequest = { workspaceId: WorkspaceId; text: string; limit: number; query: TermQuery };

/** A title that one in a hundred people has is missing from such a sample once in 150 times. */
const sampleSize = 500;

/**
 * Titles of matching prospects as most people write them, most frequent first: "VP Sales", not the words that the index
 * contains. Common titles are found by a sample; the count of each is exact, and that of a filter by it. `text`: the
 * start of words of the title, or of another name of it.
 */
export async function titleValues(directory: Directory, request: TitleRequest): Promise<FacetCount[]> {
  const query = await withText(directory, request);
  if (query === null) return [];
  const { workspaceId, limit } = request;
  const people = await directory.sample({ workspaceId, query, size: sampleSize });
  const titles = commonTitles(
    people.map(({ title }) => title).filter((title) => title !== undefined),
    limit,
  );
  const lists = titles.map(({ terms }) => terms.map(titleKey));
  const counts = await directory.matchCounts({ workspaceId, query, lists });
  return titles.map(({ label }, place) => ({ value: label, label, count: counts[place] ?? 0 })).sort(byCount);
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
