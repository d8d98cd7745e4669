import { auditEntry } from "../../platform/auth/audit/entry.ts";
import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { AuditService } from "../../platform/auth/audit/service.ts";
import { singleLine } from "../../platform/base/text.ts";
import { type Clock, type Ids, isoTime } from "../../platform/base/clock.ts";
import { invalid, notFound, type FieldError } from "../../platform/base/errors.ts";
import type { Job } from "../../platform/jobs/model.ts";
import type { JobService } from "../../platform/jobs/service.ts";
import { requireAdmin, type Caller } from "../../platform/auth/caller.ts";
import { canonicalEmail, isEmailAddress } from "../../platform/identity/email.ts";
import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import { hashText } from "../suppression/key.ts";
import type { SuppressionService } from "../suppression/service.ts";
import type {
  EraseInput,
  ErasureView,
  ExportInput,
  PersonCounts,
  PersonIdentifiers,
  PersonIdentity,
  PersonQuery,
  PersonRecord,
  PersonRecordView,
  PersonScope,
} from "./model.ts";
import type { PersonStore } from "./store.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** Payload of the erasure job. */
export type ErasurePayload = {
  scope: PersonScope;
  /** Null once everything is erased. */
  identity: PersonIdentity | null;
  suppress: boolean;
  /** Audit entry that names the requester; completed when the job ends. */
  audit: AuditEntry;
};

/** A full disk is waited for indefinitely; this many failures of any other kind indicate a permanent fault. */
const maxAttempts = 10;

export type PersonExport = {
  exportedAt: string;
  scope: "user" | "team";
  identifiers: PersonIdentifiers;
  records: AsyncGenerator<PersonRecord[], void, void>;
};

/** Exports and erases personal data. */
export class PrivacyService {
  readonly #store: PersonStore;
  readonly #jobs: JobService;
  readonly #suppressions: SuppressionService;
  readonly #audit: AuditService;
  readonly #clock: Clock;
  readonly #ids: Ids;

  constructor(
    store: PersonStore,
    jobs: JobService,
    suppressions: SuppressionService,
    audit: AuditService,
    clock: Clock,
    ids: Ids,
  ) {
    this.#store = store;
    this.#jobs = jobs;
    this.#suppressions = suppressions;
    this.#audit = audit;
    this.#clock = clock;
    this.#ids = ids;
  }

  /** Writes the audit entry before reading the first row. Throws NOT_FOUND for an unknown lead. */
  async export(caller: Caller, workspaceId: WorkspaceId, input: ExportInput): Promise<PersonExport> {
    const { scope, identity } = await this.#identify(caller, workspaceId, input);
    const details = { scope: scopeName(scope), subject: this.subjectOf(identity) };
    await this.#audit.note(caller, { action: "person.exported", workspaceId: scope.workspaceId, details });
    return {
      exportedAt: isoTime(this.#clock.now()),
      scope: scopeName(scope),
      identifiers: identifiersOf(identity),
      records: this.#store.records(scope, identity),
    };
  }

  /** Starts the erasure job or, in a dry run, only counts what it would erase. */
  async erase(caller: Caller, workspaceId: WorkspaceId, input: EraseInput): Promise<ErasureView> {
    const { scope, identity } = await this.#identify(caller, workspaceId, input);
    const { dryRun = true, suppress = true } = input;
    const { records, mentions } = await this.#count(scope, identity);
    const view = { dryRun, identifiers: identifiersOf(identity), records, mentions };
    const isEmpty = Object.keys(records).length + Object.keys(mentions).length === 0;
    // A person with no stored data can still be added to the do-not-contact list.
    if (dryRun || (isEmpty && !suppress)) return { ...view, jobId: null };
    const job = this.#erasureJob(caller, workspaceId, scope, identity, suppress);
    const event = {
      action: "person.erasureBegun",
      workspaceId: scope.workspaceId,
      target: { type: "job", id: job.id },
      details: { scope: scopeName(scope), subject: this.subjectOf(identity), suppress },
    } as const;
    await this.#jobs.submit(job, auditEntry(caller, job.createdAt, event));
    return { ...view, jobId: job.id };
  }

  /**
   * Hashes of the person's identifiers, as in the do-not-contact list: only a reader who knows the person can match
   * them.
   */
  subjectOf({ emails, profiles, phones, leadIds }: PersonIdentity): string[] {
    const identifiers = [...emails, ...profiles, ...phones];
    const hashes = this.#suppressions.hashesOf(null, identifiers).map(({ kind, key }) => hashText(kind, key));
    return hashes.length > 0 ? hashes : leadIds.map((id) => `lead:${id}`);
  }

  async #identify(
    caller: Caller,
    workspaceId: WorkspaceId,
    input: ExportInput,
  ): Promise<{ scope: PersonScope; identity: PersonIdentity }> {
    if (input.scope === "team") requireAdmin(caller);
    const scope = { workspaceId: input.scope === "team" ? null : workspaceId };
    const identity = await this.#store.identify(scope, personQueryOf(input), input.follow ?? true);
    if (identity === null) throw notFound("lead", input.leadId ?? "");
    return { scope, identity };
  }

  async #count(
    scope: PersonScope,
    identity: PersonIdentity,
  ): Promise<{ records: PersonCounts; mentions: PersonCounts }> {
    const records: PersonCounts = {};
    const mentions: PersonCounts = {};
    for await (const page of this.#store.records(scope, identity))
      for (const { place, isOwn } of page) {
        const counts = isOwn ? records : mentions;
        counts[place] = (counts[place] ?? 0) + 1;
      }
    return { records, mentions };
  }

  #erasureJob(
    caller: Caller,
    workspaceId: WorkspaceId,
    scope: PersonScope,
    identity: PersonIdentity,
    suppress: boolean,
  ): Job {
    const now = this.#clock.now();
    const id = this.#ids.next(now);
    const subject = this.subjectOf(identity);
    const event = { action: "person.erased", workspaceId: scope.workspaceId, target: { type: "job", id } } as const;
    const details = { scope: scopeName(scope), subject };
    const payload: ErasurePayload = {
      scope,
      identity,
      suppress,
      audit: auditEntry(caller, now, { ...event, details }),
    };
    return {
      id,
      workspaceId,
      userId: caller.userId,
      type: "person_erasure",
      status: "pending",
      runAt: now,
      attempt: 0,
      failures: 0,
      maxAttempts,
      leaseUntil: null,
      message: "Waiting to erase",
      progress: 0,
      metadata: { scope: scopeName(scope), subject, records: {}, waiting: 0 },
      payload,
      createdAt: now,
      updatedAt: now,
      completedAt: null,
    };
  }
}

function personQueryOf({ email, networkUrl, leadId }: ExportInput): PersonQuery {
  const errors: FieldError[] = [];
  const address = email === undefined ? null : canonicalEmail(singleLine(email));
  if (address !== null && !isEmailAddress(address))
    errors.push({ path: "email", message: `"${address.slice(0, 60)}" is not an email address.` });
  const profile = networkUrl === undefined ? null : canonicalProfileUrl(networkUrl);
  if (networkUrl !== undefined && profile === null)
    errors.push({ path: "networkUrl", message: `"${networkUrl.slice(0, 60)}" is not a profile URL.` });
  if (email === undefined && networkUrl === undefined && leadId === undefined)
    errors.push({ path: "", message: "Identify the person by email, networkUrl, or leadId." });
  if (errors.length > 0) throw invalid(errors);
  return { email: address, profile, leadId: leadId ?? null };
}

export function scopeName({ workspaceId }: PersonScope): "user" | "team" {
  return workspaceId === null ? "team" : "user";
}

function identifiersOf({ emails, profiles, phones, leadIds }: PersonIdentity): PersonIdentifiers {
  return { emails, profileUrls: profiles, phones, leadIds };
}

/** The API view of a row: camel-case names, ISO 8601 timestamps, and parsed JSON. */
export function recordView({ place, workspaceId, isOwn, fields }: PersonRecord): PersonRecordView {
  const shown = Object.entries(fields).map(([column, value]) => [
    column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    displayValue(column, value),
  ]);
  return {
    collection: place,
    userId: workspaceId,
    kind: isOwn ? "person" : "mention",
    fields: Object.fromEntries(shown),
  };
}

/** The latest time that a Date can represent; actions that wait indefinitely have a later one. */
const maxInstant = 8_640_000_000_000_000;

function displayValue(column: string, value: unknown): unknown {
  if (typeof value === "number" && /(^|_)(at|until|before)$/.test(column) && Math.abs(value) < maxInstant)
    return isoTime(value);
  if (typeof value !== "string" || !/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
