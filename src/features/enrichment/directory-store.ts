import type { LeadIdentity } from "../leads/model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

type Text = string | null;

/** A person as known by one of the user's own lists. */
export type KnownPerson = {
  firstName: Text;
  lastName: Text;
  email: Text;
  phone: Text;
  networkUrl: Text;
  title: Text;
  location: Text;
  company: Text;
  industry: Text;
  /** Company details, if the list has them: website, number of employees, and location. */
  domain?: Text;
  size?: Text;
  headquarters?: Text;
  /** Addresses from former jobs. */
  formerEmails?: readonly string[];
  /** Time of the last update, in milliseconds. */
  updatedAt: number;
};

/** The part of a person that identifies them and describes their company. */
export type Colleague = Omit<KnownPerson, "phone" | "title" | "location" | "formerEmails" | "updatedAt">;

export type KnownCompany = {
  name: Text;
  domain: Text;
  industry: Text;
  size: Text;
  description: Text;
  founded: Text;
  headquarters: Text;
};

/** At least one of the two. `domain` is canonical. */
export type CompanyNames = { domain: Text; name: Text };

/** People and companies stored on this server. Reads are limited to the user's data, and bounded. */
export type Directory = {
  /** The person with these identifiers, but never the lead `exceptLeadId`. */
  findPerson(
    workspaceId: WorkspaceId,
    identity: LeadIdentity,
    exceptLeadId: string | null,
  ): Promise<KnownPerson | null>;
  /** Stored company data. Details known only from people at the company are left to the caller. */
  findCompany(workspaceId: WorkspaceId, company: CompanyNames): Promise<KnownCompany | null>;
  /** People with an email address at the domain or, if no domain is given, at the company; at most `limit`. */
  colleagues(workspaceId: WorkspaceId, company: CompanyNames, limit: number): Promise<Colleague[]>;
};

/** Index of leads by domain and company. Built in the background, so that storing leads is not slowed down. */
export type LeadHintStore = {
  /** A lead may still be on its way into the store for this long after its `updatedAt`. */
  readonly settlesAfterMs: number;
  /** Same as `Directory.colleagues`. */
  colleagues(workspaceId: WorkspaceId, company: CompanyNames, limit: number): Promise<Colleague[]>;
  /**
   * Indexes a few thousand leads that were stored or changed up to `until`, blocking the event loop for only a few
   * milliseconds at a time. False if nothing is left. Must not be called concurrently.
   */
  learn(until: number): Promise<boolean>;
};
