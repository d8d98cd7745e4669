import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { JobClaim, JobEnd } from "../../platform/jobs/model.ts";
import type { Suppression } from "../suppression/model.ts";
import type { PersonCounts, PersonIdentity, PersonQuery, PersonRecord, PersonScope } from "./model.ts";

export type ErasedRecords = {
  /** Number of erased rows, by place. */
  erased: PersonCounts;
  /** Actions in progress; they can be erased once they have ended. */
  inProgress: number;
};

/** Access to everything that is stored about a person, in all tables. */
export type PersonStore = {
  /**
   * All identifiers of the person. Without `follow`, only those given and the rows that contain them. Null if `leadId`
   * is not a lead of the scope.
   */
  identify(scope: PersonScope, given: PersonQuery, follow: boolean): Promise<PersonIdentity | null>;
  /** All rows, place by place, in pages. Rows added or removed in the meantime may be missed. */
  records(scope: PersonScope, identity: PersonIdentity): AsyncGenerator<PersonRecord[], void, void>;
  /**
   * Erases these rows, all or none. Rows that changed or disappeared in the meantime are checked again. Safe to repeat.
   */
  erase(identity: PersonIdentity, records: readonly PersonRecord[], at: number): Promise<ErasedRecords>;
  /** Adds hash-only entries to the do-not-contact list; existing entries lose their plain value. */
  suppress(entries: readonly Suppression[]): Promise<void>;
  /** Whether imports or batches that started before `at` are still running and could add the person again. */
  hasRunningImports(scope: PersonScope, at: number): Promise<boolean>;
  /**
   * Replaces the payload of the job, which identifies the person. Returns false and does nothing if the claim is void.
   */
  forget(claim: JobClaim, payload: Record<string, unknown>): Promise<boolean>;
  /** Overwrites remains of erased rows in the database files. False if it must be retried. */
  scrub(): Promise<boolean>;
  /** Ends the erasure job and writes the audit entry. Returns false and does nothing if the claim is void. */
  finish(claim: JobClaim, end: JobEnd, audit: AuditEntry): Promise<boolean>;
};
