import type { ProspectDraft } from "../../../features/prospecting/content.ts";
import { placeOfColumns } from "../../../features/prospecting/facets/place-columns.ts";
import { companySizes, companySizesTouching } from "../../../features/prospecting/facets/ranges.ts";
import { senioritiesNamed, type Seniority } from "../../../features/prospecting/facets/seniority.ts";
import type { SearchFilters } from "../../../features/prospecting/model.ts";
import type { LiveOutcome, LiveSearch, ProspectProvider } from "../../../features/prospecting/provider.ts";
import { fullenrichUrl } from "../enrichment/fullenrich.ts";
import { asUrl, type VendorWorld } from "../enrichment/vendor.ts";
import { numberAt, textAt, valueAt } from "../json-path.ts";
import { askLive, known, unsupported } from "./live.ts";

/** Beyond this, only a cursor works, which cannot be derived from an offset. */
const lastOffset = 10_000;

/**
 * FullEnrich: people search (v2). It charges a fraction of a credit per result, and returns profiles but no addresses.
 */
export function createFullenrichSearch(
  world: VendorWorld,
  { url = fullenrichUrl, key }: { url?: string; key: string },
): ProspectProvider {
  async function search({ filters, limit, offset, signal }: LiveSearch): Promise<LiveOutcome> {
    const refusal = unsupported(filters, [
      "company.revenue",
      "person.department",
      "technology.using",
      "technology.usingAll",
      "technology.notUsing",
    ]);
    if (refusal !== null) return refusal;
    if (offset > lastOffset)
      return {
        kind: "refused",
        message: `FullEnrich does not support offsets above ${lastOffset}. Narrow the search.`,
      };
    const json = { ...bodyOf(filters), limit, offset };
    const headers = { authorization: `Bearer ${key}` };
    const answer = await askLive(world, { url: `${url}/people/search`, headers, body: { json }, signal });
    if (answer.kind !== "json") return answer;
    const people = valueAt(answer.body, "people");
    const prospects = (Array.isArray(people) ? (people as unknown[]) : []).map(prospectOf);
    return { kind: "found", total: numberAt(answer.body, "metadata.total") ?? prospects.length, prospects };
  }

  return { name: "fullenrich", search };
}

const levels: Partial<Record<Seniority, string>> = {
  owner: "Owner",
  founder: "Founder",
  c_suite: "C-level",
  partner: "Partner",
  vp: "VP",
  head: "Head",
  director: "Director",
  manager: "Manager",
  senior: "Senior",
};

function bodyOf({ company = {}, person = {} }: SearchFilters): Record<string, object[]> {
  const sizes = new Set(company.size?.flatMap(companySizesTouching));
  const texts = (values: string[] | undefined): object[] => (values ?? []).map((value) => ({ value }));
  const lists = {
    current_company_industries: texts(company.industry),
    current_company_headquarters: texts(company.location),
    current_company_headcounts: companySizes.filter(({ label }) => sizes.has(label)).map(headcount),
    current_position_titles: texts(person.title),
    current_position_seniority_level: texts(person.seniority?.flatMap(levelsOf)),
  };
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

function headcount({ min, max }: { min: number; max: number }): object {
  return max === Number.POSITIVE_INFINITY ? { min } : { min, max };
}

function levelsOf(text: string): string[] {
  const named = senioritiesNamed(text)
    .map((level) => levels[level])
    .filter((level) => level !== undefined);
  return named.length === 0 ? [text.trim()] : named;
}

function prospectOf(person: unknown): ProspectDraft {
  const text = (path: string) => textAt(person, path);
  const company = (path: string) => text(`employment.current.company.${path}`);
  return known({
    firstName: text("first_name"),
    lastName: text("last_name"),
    networkUrl: asUrl(text("social_profiles.professional_network.url") ?? text("social_profiles.linkedin.url")),
    title: text("employment.current.title"),
    seniority: text("employment.current.seniority"),
    location: placeOfColumns(text("location.city"), text("location.region"), text("location.country")),
    company: company("name"),
    domain: company("domain"),
    industry: company("industry.main_industry") ?? company("industry"),
    companySize: company("headcount_range") ?? company("headcount"),
    companyLocation: placeOfColumns(
      company("locations.headquarters.city"),
      company("locations.headquarters.region"),
      company("locations.headquarters.country"),
    ),
  });
}
