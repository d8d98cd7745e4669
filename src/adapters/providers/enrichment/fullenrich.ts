import { fieldGroups, type EnrichField } from "../../../features/enrichment/fields.ts";
import type { Finding, Subject } from "../../../features/enrichment/model.ts";
import type { EnrichmentProvider, LookUpOutcome } from "../../../features/enrichment/provider.ts";
import { numberAt, textAt, textsAt, valueAt } from "../json-path.ts";
import { askVendor, asUrl, findingsOf, pause, usualRefusal, type VendorAnswer, type VendorWorld } from "./vendor.ts";

export const fullenrichUrl = "https://app.fullenrich.com/api/v2";

const sureness: Record<string, number> = { DELIVERABLE: 0.97, HIGH_PROBABILITY: 0.85, CATCH_ALL: 0.6 };
const refuted = ["INVALID", "INVALID_DOMAIN"];
const profileSureness = 0.8;
/** It returns a profile only for people whose profile URL is sent. */
const ofProfile: readonly EnrichField[] = [...fieldGroups.personal, "networkUrl", ...fieldGroups.company];
const jobsShown = 5;
/** It queries many vendors itself, which takes half a minute or more. */
const askAgainMs = 3_000;

/**
 * FullEnrich (v2), work addresses. A request is started, then polled until it has finished. Abandoning one does not
 * cost twice, because the same person is free there for three months.
 */
export function createFullenrich(world: VendorWorld, { url, key }: { url: string; key: string }): EnrichmentProvider {
  const headers = { authorization: `Bearer ${key}` };

  async function follow(id: string, signal: AbortSignal): Promise<LookUpOutcome> {
    while (await pause(world.clock, askAgainMs, signal)) {
      const answer = await askVendor(world, {
        url: `${url}/contact/enrich/bulk/${encodeURIComponent(id)}`,
        headers,
        signal,
      });
      if (answer.kind !== "json") return answer;
      const refusal = usualRefusal(answer, world.clock);
      if (refusal !== null) return refusal;
      const outcome = outcomeOf(answer, world.clock.now());
      if (outcome !== null) return outcome;
    }
    return { kind: "failed", reason: "Timed out" };
  }

  return {
    name: "fullenrich",
    fields: ["email", ...ofProfile],
    fieldsFor({ networkUrl, firstName, lastName, company, domain, ...known }) {
      const address: EnrichField[] = isAddressMissing(known) ? ["email"] : [];
      if (networkUrl !== null) return [...address, ...ofProfile];
      return firstName !== null && lastName !== null && (domain ?? company) !== null ? address : [];
    },

    asksPartially: (subject, wanted) => !asksForAddress(subject, wanted),

    async lookUp({ firstName, lastName, company, domain, networkUrl, ...known }, { wanted, signal }) {
      const person = {
        ...(firstName !== null && { first_name: firstName }),
        ...(lastName !== null && { last_name: lastName }),
        ...(domain !== null && { domain }),
        ...(company !== null && { company_name: company }),
        ...(networkUrl !== null && { linkedin_url: networkUrl }),
        // Buys only what is requested and missing. The profile is always included; without the list, the vendor might
        // send, and bill, everything.
        enrich_fields: asksForAddress(known, wanted) ? ["contact.work_emails"] : [],
      };
      const body = { json: { name: "outreachd", data: [person] } };
      const answer = await askVendor(world, { url: `${url}/contact/enrich/bulk`, headers, body, signal });
      if (answer.kind !== "json") return answer;
      const refusal = usualRefusal(answer, world.clock);
      if (refusal !== null) return refusal;
      const id = textAt(answer.body, "enrichment_id");
      return id === null ? { kind: "failed", reason: "The response contains no enrichment ID" } : follow(id, signal);
    },
  };
}

function asksForAddress(subject: Pick<Subject, "email" | "emailIsRefuted">, wanted: ReadonlySet<EnrichField>): boolean {
  return wanted.has("email") && isAddressMissing(subject);
}

function isAddressMissing({ email, emailIsRefuted = false }: Pick<Subject, "email" | "emailIsRefuted">): boolean {
  return email === null || emailIsRefuted;
}

/** Null while it is running. */
function outcomeOf({ body }: VendorAnswer, now: number): LookUpOutcome | null {
  const status = textAt(body, "status");
  switch (status) {
    case "CREATED":
    case "IN_PROGRESS":
      return null;
    case "FINISHED": {
      const findings = findingsIn(body);
      const spent = numberAt(body, "cost.credits") ?? 0;
      return findings.length === 0 ? { kind: "none", spent } : { kind: "found", findings, spent };
    }
    case "CREDITS_INSUFFICIENT":
      return { kind: "exhausted", reason: "Our account there has no credits left" };
    case "RATE_LIMIT":
      return { kind: "paused", until: now + 60_000, reason: "Too many requests" };
    default:
      return { kind: "failed", reason: `Ended with status ${status?.slice(0, 40) ?? "none"}` };
  }
}

function findingsIn(body: unknown): Finding[] {
  const found = valueAt(body, "data.0.contact_info.most_probable_work_email");
  const profile = valueAt(body, "data.0.profile");
  const text = (path: string) => textAt(profile, path);
  const employer = valueAt(profile, "employment.current.company");
  return [
    ...addressIn(textAt(found, "email"), textAt(found, "status") ?? ""),
    ...findingsOf(
      {
        firstName: text("first_name"),
        lastName: text("last_name"),
        title: text("employment.current.title"),
        location: placeOf(valueAt(profile, "location")),
        experience: experienceOf(profile),
        skills: textsAt(profile, "skills"),
        bio: text("description") ?? text("headline"),
        networkUrl: asUrl(text("social_profiles.professional_network.url") ?? text("social_profiles.linkedin.url")),
        company: textAt(employer, "name"),
        "companyInfo.name": textAt(employer, "name"),
        "companyInfo.website": asUrl(textAt(employer, "website") ?? textAt(employer, "domain")),
        "companyInfo.industry": textAt(employer, "industry.main_industry"),
        "companyInfo.size": textAt(employer, "headcount_range") ?? countAt(employer, "headcount"),
        "companyInfo.description": textAt(employer, "description"),
        "companyInfo.founded": countAt(employer, "year_founded"),
        "companyInfo.headquarters": placeOf(valueAt(employer, "locations.headquarters")),
      },
      profileSureness,
    ),
  ];
}

function addressIn(email: string | null, status: string): Finding[] {
  if (email !== null && refuted.includes(status))
    return [{ field: "email", value: email, confidence: 0, verifies: true }];
  return findingsOf({ email }, sureness[status] ?? 0).filter(({ confidence }) => confidence > 0);
}

/** 0 means unknown. */
function countAt(json: unknown, path: string): string | null {
  const count = textAt(json, path);
  return count === "0" ? null : count;
}

function placeOf(place: unknown): string | null {
  const parts = ["city", "region", "country"].map((part) => textAt(place, part));
  return parts.filter((part) => part !== null).join(", ") || null;
}

function experienceOf(profile: unknown): string | null {
  const jobs = valueAt(profile, "employment.all");
  const lines = (Array.isArray(jobs) ? jobs.slice(0, jobsShown) : []).flatMap((job: unknown) => {
    const what = [textAt(job, "title"), textAt(job, "company.name")].filter(Boolean).join(" at ");
    const [from, to] = [textAt(job, "start_at")?.slice(0, 4), textAt(job, "end_at")?.slice(0, 4)];
    return what === "" ? [] : [from === undefined ? what : `${what} (${from}–${to ?? ""})`];
  });
  return lines.join("; ") || null;
}
