import { worksFor } from "./employer.ts";
import { businessDomain } from "../../platform/identity/email-domain.ts";
import { companyDomainKey, companyNameKey } from "./keys.ts";
import { mergedCompany, withCompanyFacts, withCompanyNews } from "./merge.ts";
import type { CompanyContent, ProspectContent } from "./model.ts";

/** `known`: all that is known of the company, with what is told now. */
type News = { place: number; told: CompanyContent; known: CompanyContent };

/** What a file says of companies, for the people of these. The newest word counts, whoever said otherwise before. */
export class CompanyNews {
  readonly #byKey = new Map<number, News[]>();
  readonly #mayUpdate: boolean;
  #count = 0;

  /** `mayUpdate`: whether it takes the place of what is known; else people get only what they lack. */
  constructor(mayUpdate: boolean) {
    this.#mayUpdate = mayUpdate;
  }

  /** Of one company, later than what was added before; `existing`: what is known of it already. */
  add(told: CompanyContent, existing: CompanyContent | null): void {
    if (existing !== null && !this.#mayUpdate) return;
    const news = { place: this.#count++, told, known: existing === null ? told : mergedCompany(existing, told) };
    for (const key of keysOf(news.known)) {
      const ofCompany = this.#byKey.get(key);
      if (ofCompany === undefined) this.#byKey.set(key, [news]);
      else ofCompany.push(news);
    }
  }

  /** What people are found by who may work for one of the companies. */
  get keys(): number[] {
    return [...this.#byKey.keys()];
  }

  /** The prospect with what is told of its company. */
  toldTo(prospect: ProspectContent): ProspectContent {
    const { company, email } = prospect;
    const domain = prospect.domain ?? (email === undefined ? null : businessDomain(email));
    const found = keysOf({ company, domain }).flatMap((key) => this.#byKey.get(key) ?? []);
    const meant = found.filter((news, at) => found.indexOf(news) === at && worksFor(prospect, news.known));
    // A department with a site of its own knows better than the whole.
    const closest = Math.max(...meant.map(({ known }) => known.domain?.length ?? 0));
    return meant
      .filter(({ known }) => known.domain === undefined || known.domain.length === closest)
      .sort((a, b) => a.place - b.place)
      .reduce((content, { told, known }) => {
        const updated = this.#mayUpdate ? withCompanyNews(content, told) : content;
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
