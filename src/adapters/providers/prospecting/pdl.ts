import type { ProspectDraft } from "../../../features/prospecting/content.ts";
import { companySizesTouching } from "../../../features/prospecting/facets/ranges.ts";
import { senioritiesNamed, type Seniority } from "../../../features/prospecting/facets/seniority.ts";
import { departmentNamed } from "../../../features/prospecting/facets/department.ts";
import { placeParts } from "../../../features/prospecting/facets/places.ts";
import type { SearchFilters } from "../../../features/prospecting/model.ts";
import type { LiveOutcome, LiveSearch, ProspectProvider } from "../../../features/prospecting/provider.ts";
import { pdlUrl } from "../enrichment/pdl.ts";
import { asUrl, type VendorWorld } from "../enrichment/vendor.ts";
import { numberAt, textAt, textsAt, valueAt } from "../json-path.ts";
import { askLive, known, unsupported } from "./live.ts";

/** Positions where reading stopped; the oldest are dropped first. */
const maxPlaces = 1000;

/**
 * People Data Labs: person search (v5), one of its credits per record. It only pages forward, with a token from the
 * previous page. Tokens are stored as long as this process runs.
 */
export function createPdlSearch(
  world: VendorWorld,
  { url = pdlUrl, key }: { url?: string; key: string },
): ProspectProvider {
  const tokens = new Map<string, string>();

  function remember(place: string, token: string | null): void {
    if (token === null) return;
    if (tokens.size >= maxPlaces) for (const oldest of tokens.keys()) if (tokens.delete(oldest)) break;
    tokens.set(place, token);
  }

  async function search({ filters, limit, offset, signal }: LiveSearch): Promise<LiveOutcome> {
    const refusal = unsupported(filters, [
      "company.revenue",
      "technology.using",
      "technology.usingAll",
      "technology.notUsing",
    ]);
    if (refusal !== null) return refusal;
    const query = queryOf(filters);
    const place = JSON.stringify(query);
    const token = offset === 0 ? null : tokens.get(`${offset} ${place}`);
    if (token === undefined)
      return {
        kind: "refused",
        message: "People Data Labs only pages forward. Start at offset 0 and increase it by the size of each page.",
      };
    const json = { query, size: limit, titlecase: true, ...(token !== null && { scroll_token: token }) };
    const request = { url: `${url}/person/search`, headers: { "x-api-key": key }, body: { json }, signal };
    // 404: no match; free of charge there.
    const answer = await askLive(world, request, { kind: "found", total: 0, prospects: [] });
    if (answer.kind !== "json") return answer;
    const people = valueAt(answer.body, "data");
    const prospects = (Array.isArray(people) ? (people as unknown[]) : []).map(prospectOf);
    remember(`${offset + prospects.length} ${place}`, textAt(answer.body, "scroll_token"));
    return { kind: "found", total: numberAt(answer.body, "total") ?? prospects.length, prospects };
  }

  return { name: "pdl", search };
}

/** Its names of seniority levels: docs.peopledatalabs.com, job_title_levels. */
const levels: Record<Seniority, string> = {
  owner: "owner",
  founder: "owner",
  c_suite: "cxo",
  partner: "partner",
  vp: "vp",
  head: "director",
  director: "director",
  manager: "manager",
  senior: "senior",
  entry: "entry",
  intern: "training",
};

/** Elasticsearch's query language. All values are lowercase. */
function queryOf({ company = {}, person = {} }: SearchFilters): object {
  const must: object[] = [];
  const terms = (field: string, values: string[] | undefined): void => {
    if (values !== undefined && values.length > 0) must.push({ terms: { [field]: [...new Set(values)] } });
  };
  terms(
    "job_company_industry",
    company.industry?.map((name) => name.trim().toLowerCase()),
  );
  terms("job_company_size", company.size?.flatMap(companySizesTouching));
  if (company.location?.length) must.push(anyOf(company.location.map(placeQuery)));
  if (person.title?.length)
    must.push(anyOf(person.title.map((title) => ({ match_phrase: { job_title: title.toLowerCase() } }))));
  terms(
    "job_title_levels",
    person.seniority?.flatMap((level) => levelsOf(level)),
  );
  terms(
    "job_title_role",
    person.department?.map((name) => departmentNamed(name) ?? name.trim().toLowerCase()),
  );
  return must.length === 0 ? { bool: { must: [{ exists: { field: "job_title" } }] } } : { bool: { must } };
}

function levelsOf(text: string): string[] {
  const named = senioritiesNamed(text);
  return named.length === 0 ? [text.trim().toLowerCase()] : named.map((level) => levels[level]);
}

function placeQuery(place: string): object {
  const fields = ["locality", "region", "country"].map((part) => `job_company_location_${part}`);
  return {
    bool: { must: placeParts(place).map((part) => anyOf(fields.map((field) => ({ term: { [field]: part } })))) },
  };
}

function anyOf(should: object[]): object {
  return { bool: { should, minimum_should_match: 1 } };
}

/** Fields that the plan does not include are `true` instead of a string. */
function prospectOf(person: unknown): ProspectDraft {
  const text = (path: string) => textAt(person, path);
  return known({
    firstName: text("first_name"),
    lastName: text("last_name"),
    email: text("work_email") ?? text("recommended_personal_email") ?? textsAt(person, "emails.[].address")[0],
    networkUrl: asUrl(text("linkedin_url")),
    title: text("job_title"),
    seniority: text("job_title_levels.0"),
    department: text("job_title_role"),
    phone: text("mobile_phone") ?? textsAt(person, "phone_numbers")[0],
    location: text("location_name"),
    company: text("job_company_name"),
    domain: text("job_company_website"),
    industry: text("job_company_industry"),
    companySize: text("job_company_size"),
    companyLocation: text("job_company_location_name"),
  });
}
