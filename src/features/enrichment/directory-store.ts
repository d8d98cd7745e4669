import type { LeadIdentity } from "../leads/model.ts";

type Text = string | null;

/** A person as a list of the user's own knows one. */
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
  /** Of the company, where the list tells it: its website, its employees, where it is. */
  domain?: Text;
  size?: Text;
  headquarters?: Text;
  /** Addresses of jobs that the person has left. */
  formerEmails?: readonly string[];
  /** When the list last heard of it, in milliseconds. */
  updatedAt: number;
};

/** A person as far as it tells of its company, and who it is. */
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

/** People and companies that the user has on this machine. All reads are of this user's data only, and bounded. */
export type Directory = {
  /** The person that these identifiers name; never the lead with the id `exceptLeadId`. */
  findPerson(userId: string, identity: LeadIdentity, exceptLeadId: string | null): Promise<KnownPerson | null>;
  /** What is known of the company itself; what its people tell of it is for the caller to weigh. */
  findCompany(userId: string, company: CompanyNames): Promise<KnownCompany | null>;
  /** People with an e-mail address at the domain, or at the company where no domain is given; at most `limit`. */
  colleagues(userId: string, company: CompanyNames, limit: number): Promise<Colleague[]>;
};

/** Finds leads by domain and company. Learned behind the leads' back, so that storing a million costs nothing more. */
export type LeadHintStore = {
  /** As `Directory.colleagues`. */
  colleagues(userId: string, company: CompanyNames, limit: number): Promise<Colleague[]>;
  /**
   * Learns from some thousand leads that were stored or changed up to `until`, and keeps the event loop for some
   * milliseconds at a time. False when there is nothing left to learn. One call at a time.
   */
  learn(until: number): Promise<boolean>;
};
