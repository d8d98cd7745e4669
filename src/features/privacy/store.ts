import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { JobClaim, JobEnd } from "../../platform/jobs/model.ts";
import type { Suppression } from "../suppression/model.ts";
import type { PersonCounts, PersonIdentity, PersonRecord, PersonScope } from "./model.ts";

/** What somebody gave to tell a person by. Addresses as `PersonIdentity` has them. */
export type PersonQuery = { email: string | null; profile: string | null; leadId: string | null };

export type ErasedRecords = {
  /** What was erased, by place. */
  erased: PersonCounts;
  /** Actions that somebody is carrying out at this moment; they can be erased once they have ended. */
  inProgress: number;
};

/** What is stored about one person, wherever it lies. */
export type PersonStore = {
  /**
   * All that the person is known by; without `follow` only what was given and the rows that carry it. Null when
   * `leadId` is no lead of the scope.
   */
  identify(scope: PersonScope, given: PersonQuery, follow: boolean): Promise<PersonIdentity | null>;
  /** All rows, place by place, in pages. Rows that come or go meanwhile may be missed. */
  records(scope: PersonScope, identity: PersonIdentity): AsyncGenerator<PersonRecord[], void, void>;
  /** Erases these rows, all or none; those that changed or went meanwhile are looked at anew. Safe to repeat. */
  erase(identity: PersonIdentity, records: readonly PersonRecord[], at: number): Promise<ErasedRecords>;
  /** Keeps entries of the do-not-contact list, by their hashes; those that are there lose their value. */
  suppress(entries: readonly Suppression[]): Promise<void>;
  /** Whether files or batches that began before `at` are still being worked on, and may bring the person back. */
  hasRunningImports(scope: PersonScope, at: number): Promise<boolean>;
  /** Puts something else in the place of what the job knew of the person. False, and nothing, when the claim is void. */
  forget(claim: JobClaim, payload: Record<string, unknown>): Promise<boolean>;
  /** Overwrites what the files of the database still hold of erased rows. False: it has to be tried again. */
  scrub(): Promise<boolean>;
  /** Ends the job that erased, and tells the audit log. False, and nothing, when the claim is void. */
  finish(claim: JobClaim, end: JobEnd, audit: AuditEntry): Promise<boolean>;
};
