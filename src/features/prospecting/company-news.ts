import { worksFor } from "./employer.ts";
import { businessDomain } from "../../platform/identity/email-domain.ts";
import { companyDomainKey, companyNameKey } from "./keys.ts";
import { mergedCompany, withCompanyFacts, withCompanyNews } from "./merge.ts";
import type { CompanyContent, ProspectContent } from "./model.ts";

/** `update`: what the file says about the company. `known`: everything known about it, including that. */
type CompanyUpdate = { place: number; update: CompanyContent; known: CompanyContent };

/** Applies company details from a file to the people at these companies. The newest data wins, whatever its source. */
export class CompanyNews {
  readonly #byKey = new Map<number, CompanyUpdate[]>();
  readonly #mayUpdate: boolean;
  #count = 0;

  /** `mayUpdate`: whether to replace existing details; otherwise only missing ones are filled in. */
  constructor(mayUpdate: boolean) {
    this.#mayUpdate = mayUpdate;
  }

  /** Adds details about a company, newer than those added before. `existing`: what is already known about it. */
  add(update: CompanyContent, existing: CompanyContent | null): void {
    if (existing !== null && !this.#mayUpdate) return;
    const entry = { place: this.#count++, update, known: existing === null ? update : mergedCompany(existing, update) };
    for (const key of keysOf(entry.known)) {
      const ofCompany = this.#byKey.get(key);
      if (ofCompany === undefined) this.#byKey.set(key, [entry]);
      else ofCompany.push(entry);
    }
  }

  /** Keys of people who may work at one of the companies. */
  get keys(): number[] {
    return [...this.#byKey.keys()];
  }

  /** The prospect with the new details of its company. */
  applyTo(prospect: ProspectContent): ProspectContent {
    const { company, email } = prospect;
    const domain = prospect.domain ?? (email === undefined ? null : businessDomain(email));
    const found = keysOf({ company, domain }).flatMap((key) => this.#byKey.get(key) ?? []);
    const relevant = found.filter((news, at) => found.indexOf(news) === at && worksFor(prospect, news.known));
    // The details of a department with its own website take precedence over those of the whole company.
    const closest = Math.max(...relevant.map(({ known }) => known.domain?.length ?? 0));
    return relevant
      .filter(({ known }) => known.domain === undefined || known.domain.length === closest)
      .sort((a, b) => a.place - b.place)
      .reduce((content, { update, known }) => {
        const updated = this.#mayUpdate ? withCompanyNews(content, update) : content;
        return withCompanyFacts(updated, known);
      }, prospect);
  }
}

function keysOf({ company, domain }: { company?: string | undefined; domain?: string | null | undefined }): number[] {
  const keys: number[] = [];
  if (domain) keys.push(companyDomainKey(domain));
  if (company) keys.push(companyNameKey(company));
  return keys;
}
