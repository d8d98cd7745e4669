import { placeOfColumns } from "../../../features/prospecting/facets/place-columns.ts";
import { companySizesTouching, companySizes, revenueRangeOf } from "../../../features/prospecting/facets/ranges.ts";
import { senioritiesNamed } from "../../../features/prospecting/facets/seniority.ts";
import type { ProspectDraft } from "../../../features/prospecting/content.ts";
import type { SearchFilters } from "../../../features/prospecting/model.ts";
import type { LiveOutcome, LiveSearch, ProspectProvider } from "../../../features/prospecting/provider.ts";
import { apolloUrl } from "../enrichment/apollo.ts";
import { asUrl, type VendorWorld } from "../enrichment/vendor.ts";
import { numberAt, textAt, valueAt } from "../json-path.ts";
import { askLive, known, unsupported, type LiveAnswer } from "./live.ts";

/** The last result that the vendor shows. */
const lastResult = 50_000;
const matchedAtOnce = 10;

/**
 * Apollo: people search (mixed_people/api_search), which is free there and hides last names and addresses. Results are
 * then matched by ID (people/bulk_match) for one of its credits each.
 */
export function createApolloSearch(
  world: VendorWorld,
  { url = apolloUrl, key }: { url?: string; key: string },
): ProspectProvider {
  const post = (path: string, json: unknown, signal: AbortSignal): Promise<LiveAnswer> =>
    askLive(world, { url: `${url}/${path}`, headers: { "x-api-key": key }, body: { json }, signal });

  async function search({ filters, limit, offset, signal }: LiveSearch): Promise<LiveOutcome> {
    const refusal = unsupported(filters, ["person.department"]);
    if (refusal !== null) return refusal;
    if (offset + limit > lastResult)
      return { kind: "refused", message: `Apollo returns at most ${lastResult} results. Narrow the search.` };
    const asked = bodyOf(filters);
    const ids: string[] = [];
    let total = 0;
    // It returns whole pages, so an offset in the middle of one requires the next one as well.
    const first = Math.floor(offset / limit) + 1;
    for (let page = first; page <= first + (offset % limit === 0 ? 0 : 1); page++) {
      const answer = await post("mixed_people/api_search", { ...asked, page, per_page: limit }, signal);
      if (answer.kind !== "json") return answer;
      total = numberAt(answer.body, "total_entries") ?? numberAt(answer.body, "pagination.total_entries") ?? 0;
      const people = valueAt(answer.body, "people");
      if (!Array.isArray(people) || people.length === 0) break;
      ids.push(...people.map((person: unknown) => textAt(person, "id")).filter((id) => id !== null));
    }
    const start = offset % limit;
    return matched(ids.slice(start, start + limit), total, signal);
  }

  async function matched(ids: string[], total: number, signal: AbortSignal): Promise<LiveOutcome> {
    const prospects: ProspectDraft[] = [];
    for (let from = 0; from < ids.length; from += matchedAtOnce) {
      const details = ids.slice(from, from + matchedAtOnce).map((id) => ({ id }));
      const answer = await post("people/bulk_match", { details, reveal_personal_emails: false }, signal);
      // Matched people are paid for, so they are not discarded because others failed.
      if (answer.kind !== "json" && prospects.length > 0) break;
      if (answer.kind !== "json") return answer;
      const matches = valueAt(answer.body, "matches");
      for (const person of Array.isArray(matches) ? (matches as unknown[]) : [])
        if (person !== null) prospects.push(prospectOf(person));
    }
    return { kind: "found", total, prospects };
  }

  return { name: "apollo", search };
}

function bodyOf({ company = {}, person = {}, technology = {} }: SearchFilters): Record<string, unknown> {
  const { min = null, max = null } = company.revenue ?? {};
  const sizes = new Set(company.size?.flatMap(companySizesTouching));
  const lists: Record<string, string[] | undefined> = {
    person_titles: person.title,
    person_seniorities: person.seniority?.flatMap(levelsOf),
    organization_locations: company.location,
    organization_num_employees_ranges:
      company.size && companySizes.filter(({ label }) => sizes.has(label)).map(rangeOf),
    q_organization_keyword_tags: company.industry,
    currently_using_any_of_technology_uids: technology.using?.map(uidOf),
    currently_using_all_of_technology_uids: technology.usingAll?.map(uidOf),
    currently_not_using_any_of_technology_uids: technology.notUsing?.map(uidOf),
  };
  return {
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined && list.length > 0)),
    ...((min !== null || max !== null) && { revenue_range: known({ min, max }) }),
  };
}

function levelsOf(text: string): readonly string[] {
  const named = senioritiesNamed(text);
  return named.length === 0 ? [text.toLowerCase()] : named;
}

function rangeOf({ min, max }: { min: number; max: number }): string {
  return `${min},${max === Number.POSITIVE_INFINITY ? 1_000_000 : max}`;
}

/** "Google Analytics" is google_analytics there. */
function uidOf(technology: string): string {
  return technology
    .trim()
    .toLowerCase()
    .replace(/[\s.]+/g, "_");
}

function prospectOf(person: unknown): ProspectDraft {
  const text = (path: string) => textAt(person, path);
  const email = text("email");
  const revenue = numberAt(person, "organization.annual_revenue");
  const employees = text("organization.estimated_num_employees");
  const technologies = valueAt(person, "organization.technology_names");
  return known({
    firstName: text("first_name"),
    lastName: text("last_name"),
    // Placeholder for an address that the plan does not reveal.
    email: email?.startsWith("email_not_unlocked@") ? null : email,
    networkUrl: asUrl(text("linkedin_url")),
    title: text("title"),
    seniority: text("seniority"),
    location: placeOfColumns(text("city"), text("state"), text("country")),
    phone: text("phone_numbers.0.sanitized_number"),
    company: text("organization.name"),
    domain: text("organization.primary_domain") ?? text("organization.website_url"),
    industry: text("organization.industry"),
    companyLocation: placeOfColumns(
      text("organization.city"),
      text("organization.state"),
      text("organization.country"),
    ),
    companySize: employees,
    revenue: revenue === null ? null : revenueRangeOf(revenue, revenue),
    technologies: Array.isArray(technologies) ? technologies.filter((name) => typeof name === "string") : null,
    confidence: text("email_status") === "verified" ? 0.95 : numberAt(person, "extrapolated_email_confidence"),
  });
}
