import { resolveMx } from "node:dns/promises";
import type { Clock } from "../../../platform/base/clock.ts";
import { domainOfEmail } from "../../../platform/identity/email-domain.ts";
import { fieldGroups, type EnrichField } from "../../../features/enrichment/fields.ts";
import { addressInDoubt } from "../../../features/enrichment/verdicts.ts";
import type { Finding } from "../../../features/enrichment/model.ts";
import type { EnrichmentProvider } from "../../../features/enrichment/provider.ts";
import { redirectOf, type HttpClient, type HttpOutcome } from "../../../lib/guarded-http/http-client.ts";
import { readCompanyPage, type CompanyPage } from "./company-page.ts";
import { mayFetch } from "./robots.ts";
import { findingsOf } from "./vendor.ts";

/** Whether a domain accepts mail; unknown if DNS does not say. Never rejects. */
export type MailCheck = (domain: string) => Promise<"yes" | "no" | "unknown">;

export type WebWorld = {
  /** Must be limited to public addresses, because the domains come from untrusted input. */
  http: HttpClient;
  clock: Clock;
  takesMail: MailCheck;
};

const robot = "outreachd";
/** What a company says about itself is true, but the page may belong to another company of the same name. */
const sureness = 0.75;
const timeoutMs = 15_000;
const maxPageBytes = 2 * 2 ** 20;
/** RFC 9309, section 2.5: at least 500 KiB of a robots.txt must be parsed. */
const maxRobotsBytes = 512 * 1024;
const maxRedirects = 5;
const keepMs = 86_400_000;
const keepFailureMs = 10 * 60_000;
const keepSites = 2_000;

type Site = { page: CompanyPage | null; reason: string | null };

const ofCompany = fieldGroups.company;
const fields: readonly EnrichField[] = [...ofCompany, "email"];

/**
 * The public web: whether a domain accepts mail at all (MX), and what the company's home page says about it. Respects
 * robots.txt, visits each site at most once a day, and only as far as the guarded client allows.
 */
export function createWeb({ http, clock, takesMail }: WebWorld): EnrichmentProvider {
  const sites = new Map<string, { until: number; site: Promise<Site> }>();

  function siteOf(domain: string): Promise<Site> {
    const kept = sites.get(domain);
    if (kept !== undefined && kept.until > clock.now()) return kept.site;
    const site = readSite(domain);
    const entry = { until: clock.now() + keepMs, site };
    sites.delete(domain);
    sites.set(domain, entry);
    if (sites.size > keepSites) sites.delete(sites.keys().next().value ?? "");
    void site.then(({ page }) => {
      if (page === null) entry.until = clock.now() + keepFailureMs;
    });
    return site;
  }

  // Without the caller's signal, because others may wait for the same site. The timeout of the requests limits it.
  async function readSite(domain: string): Promise<Site> {
    for (const start of [`https://${domain}/`, `http://${domain}/`]) {
      const site = await readStartPage(new URL(start));
      if (site !== null) return site;
    }
    return failed("No website found");
  }

  /**
   * Returns null if there is no server, possibly only with TLS. Follows redirects itself, because each origin has its
   * own robots.txt.
   */
  async function readStartPage(start: URL): Promise<Site | null> {
    const robotsOf = new Map<string, HttpOutcome>();
    let url = start;
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const robots = robotsOf.get(url.origin) ?? (await readRobots(url.origin));
      robotsOf.set(url.origin, robots);
      if (hop === 0 && robots.kind === "unreachable" && !robots.sent) return null;
      if (!isWelcome(robots, url.pathname + url.search)) return failed("Disallowed by robots.txt");
      const page = await http.send({ url: url.href, headers: pageHeaders, timeoutMs, maxBytes: maxPageBytes });
      if (page.kind !== "answered") return failed(page.kind === "refused" ? page.reason : page.kind);
      const next = redirectOf("GET", page.status, page.headers, url);
      if (next === null) return await siteIn(page);
      url = next;
    }
    return failed(`More than ${maxRedirects} redirects`);
  }

  function readRobots(origin: string): Promise<HttpOutcome> {
    return http.send({ url: `${origin}/robots.txt`, timeoutMs, maxBytes: maxRobotsBytes, maxRedirects });
  }

  async function mailFindings(email: string | null, domain: string): Promise<Finding[]> {
    if (email === null || !isAt(domain, email)) return [];
    if ((await takesMail(domain)) !== "no") return [];
    return [{ field: "email", value: email, confidence: 0, verifies: true }];
  }

  return {
    name: "web",
    fields,
    // For an address, it can only report that it is invalid.
    fieldsFor(subject) {
      const { domain } = subject;
      if (domain === null) return [];
      return isAt(domain, addressInDoubt(subject)) ? fields : ofCompany;
    },

    async lookUp(subject) {
      const { domain } = subject;
      if (domain === null) return { kind: "none", spent: 0 };
      const [{ page }, mail] = await Promise.all([siteOf(domain), mailFindings(addressInDoubt(subject), domain)]);
      const findings = [...mail, ...(page === null ? [] : findingsIn(page, domain))];
      return findings.length === 0 ? { kind: "none", spent: 0 } : { kind: "found", findings, spent: 0 };
    },
  };
}

function isAt(domain: string, email: string | null): boolean {
  return email !== null && domainOfEmail(email) === domain;
}

const failed = (reason: string): Site => ({ page: null, reason });

async function siteIn({ status, headers, body }: Extract<HttpOutcome, { kind: "answered" }>): Promise<Site> {
  const type = headers.get("content-type") ?? "";
  if (status !== 200 || !/^(text\/html|application\/xhtml\+xml)\b/i.test(type))
    return failed(`The home page responds with ${status} ${type}`);
  return { page: await readCompanyPage(body), reason: null };
}

const pageHeaders = { accept: "text/html,application/xhtml+xml" };

/** RFC 9309, section 2.3.1: without a robots.txt, everything may be fetched; with an unreachable one, nothing. */
function isWelcome(robots: HttpOutcome, path: string): boolean {
  if (robots.kind !== "answered") return false;
  if (robots.status >= 400 && robots.status < 500) return true;
  return robots.status < 300 && mayFetch(Buffer.from(robots.body).toString(), robot, path);
}

function findingsIn(page: CompanyPage, domain: string): Finding[] {
  const { name, description, industry, size, founded, headquarters } = page;
  const values: Partial<Record<EnrichField, string | null>> = {
    company: name,
    "companyInfo.name": name,
    "companyInfo.website": `https://${domain}`,
    "companyInfo.description": description,
    "companyInfo.industry": industry,
    "companyInfo.size": size,
    "companyInfo.founded": founded,
    "companyInfo.headquarters": headquarters,
  };
  return findingsOf(values, sureness);
}

/** Uses the system's name servers. A lone "." means that the domain accepts no mail (RFC 7505). */
export const systemMailCheck: MailCheck = async (domain) => {
  try {
    const records = await resolveMx(domain);
    return records.some(({ exchange }) => exchange !== "" && exchange !== ".") ? "yes" : "no";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // A domain without MX may still accept mail at its address (RFC 5321, section 5.1).
    return code === "ENOTFOUND" ? "no" : "unknown";
  }
};
