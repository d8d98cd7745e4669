import type { Directory, KnownCompany, KnownPerson } from "../enrichment/directory-store.ts";
import type { CompanyContent, Prospect } from "./model.ts";
import type { ProspectStore } from "./store.ts";

/** Presents the user's prospects as a directory for enrichment. */
export function createPeopleDirectory(prospects: ProspectStore): Directory {
  return {
    async findPerson(workspaceId, identity) {
      const found = await prospects.findPerson(workspaceId, identity);
      return found && personOf(found);
    },
    async findCompany(workspaceId, company) {
      const found = await prospects.findCompany(workspaceId, company);
      return found && companyOf(found);
    },
    async colleagues(workspaceId, company, limit) {
      return (await prospects.colleagues(workspaceId, company, limit)).map(personOf);
    },
  };
}

function personOf(prospect: Prospect): KnownPerson {
  const { firstName, lastName, email, phone, networkUrl, title, location, company, industry, updatedAt } = prospect;
  const { domain, companySize, companyLocation, formerEmails = [] } = prospect;
  return {
    firstName: firstName ?? null,
    lastName: lastName || null,
    email: email ?? null,
    phone: phone ?? null,
    networkUrl: networkUrl ?? null,
    title: title ?? null,
    location: location ?? null,
    company: company ?? null,
    industry: industry ?? null,
    domain: domain ?? null,
    size: companySize ?? null,
    headquarters: companyLocation ?? null,
    formerEmails,
    updatedAt,
  };
}

function companyOf(company: CompanyContent): KnownCompany {
  return {
    name: company.company ?? null,
    domain: company.domain ?? null,
    industry: company.industry ?? null,
    size: company.companySize ?? null,
    description: company.description ?? null,
    founded: company.founded ?? null,
    headquarters: company.companyLocation ?? null,
  };
}
