import { auditEntry } from "../../platform/auth/audit/entry.ts";
import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { AuditService } from "../../platform/auth/audit/service.ts";
import { singleLine } from "../../platform/base/clean-text.ts";
import { isoTime, type Clock } from "../../platform/base/clock.ts";
import { invalid, notFound, type FieldError } from "../../platform/base/errors.ts";
import type { Ids } from "../../platform/base/ids.ts";
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
  PersonRecord,
  PersonRecordView,
  PersonScope,
} from "./model.ts";
import type { PersonQuery, PersonStore } from "./store.ts";

/** What the job that erases goes by. */
export type ErasurePayload = {
  scope: PersonScope;
  /** Forgotten, null, once everything is erased. */
  identity: PersonIdentity | null;
  suppress: boolean;
  /** Who wanted it; completed when it is done. */
  audit: AuditEntry;
};

/** A disk that is full is waited for without end; so many faults of another kind speak for one that stays. */
const maxAttempts = 10;

export type PersonExport = {
  exportedAt: string;
  scope: "user" | "team";
  identifiers: PersonIdentifiers;
  records: AsyncGenerator<PersonRecord[], void, void>;
};

/** What is known of one person: hands it out, and erases it. */
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

  /** Told to the audit log before the first row is read. NOT_FOUND for an unknown lead. */
  async export(caller: Caller, userId: string, input: ExportInput): Promise<PersonExport> {
    const { scope, identity } = await this.#identify(caller, userId, input);
    const details = { scope: scopeName(scope), subject: this.subjectOf(identity) };
    await this.#audit.note(caller, { action: "person.exported", userId: scope.userId, details });
    return {
      exportedAt: isoTime(this.#clock.now()),
      scope: scopeName(scope),
      identifiers: identifiersOf(identity),
      records: this.#store.records(scope, identity),
    };
  }

  /** Starts the job that erases, or only tells what it would erase. */
  async erase(caller: Caller, userId: string, input: EraseInput): Promise<ErasureView> {
    const { scope, identity } = await this.#identify(caller, userId, input);
    const { dryRun = true, suppress = true } = input;
    const { records, mentions } = await this.#count(scope, identity);
    const view = { dryRun, identifiers: identifiersOf(identity), records, mentions };
    const isEmpty = Object.keys(records).length + Object.keys(mentions).length === 0;
    // Somebody who is not there yet can still be kept off.
    if (dryRun || (isEmpty && !suppress)) return { ...view, jobId: null };
    const job = this.#erasureJob(caller, userId, scope, identity, suppress);
    const event = {
      action: "person.erasureBegun",
      userId: scope.userId,
      target: { type: "job", id: job.id },
      details: { scope: scopeName(scope), subject: this.subjectOf(identity), suppress },
    } as const;
    await this.#jobs.submit(job, auditEntry(caller, job.createdAt, event));
    return { ...view, jobId: job.id };
  }

  /** Hashes of what the person is known by, as the do-not-contact list writes them: tells who, to those who know. */
  subjectOf({ emails, profiles, phones, leadIds }: PersonIdentity): string[] {
    const identifiers = [...emails, ...profiles, ...phones];
    const hashes = this.#suppressions.hashesOf(null, identifiers).map(({ kind, key }) => hashText(kind, key));
    return hashes.length > 0 ? hashes : leadIds.map((id) => `lead:${id}`);
  }

  async #identify(
    caller: Caller,
    userId: string,
    input: ExportInput,
  ): Promise<{ scope: PersonScope; identity: PersonIdentity }> {
    if (input.scope === "team") requireAdmin(caller);
    const scope = { userId: input.scope === "team" ? null : userId };
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

  #erasureJob(caller: Caller, userId: string, scope: PersonScope, identity: PersonIdentity, suppress: boolean): Job {
    const now = this.#clock.now();
    const id = this.#ids.next(now);
    const subject = this.subjectOf(identity);
    const event = { action: "person.erased", userId: scope.userId, target: { type: "job", id } } as const;
    const details = { scope: scopeName(scope), subject };
    const payload: ErasurePayload = {
      scope,
      identity,
      suppress,
      audit: auditEntry(caller, now, { ...event, details }),
    };
    return {
      id,
      userId,
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
    errors.push({ path: "email", message: `"${address.slice(0, 60)}" is not an e-mail address.` });
  const profile = networkUrl === undefined ? null : canonicalProfileUrl(networkUrl);
  if (networkUrl !== undefined && profile === null)
    errors.push({ path: "networkUrl", message: `"${networkUrl.slice(0, 60)}" is not the URL of a profile.` });
  if (email === undefined && networkUrl === undefined && leadId === undefined)
    errors.push({ path: "", message: "Name the person by email, networkUrl or leadId." });
  if (errors.length > 0) throw invalid(errors);
  return { email: address, profile, leadId: leadId ?? null };
}

export function scopeName({ userId }: PersonScope): "user" | "team" {
  return userId === null ? "team" : "user";
}

function identifiersOf({ emails, profiles, phones, leadIds }: PersonIdentity): PersonIdentifiers {
  return { emails, profileUrls: profiles, phones, leadIds };
}

/** A row as a person reads it: names as everywhere in the API, instants as ISO 8601, JSON as what it says. */
export function recordView({ place, userId, isOwn, fields }: PersonRecord): PersonRecordView {
  const shown = Object.entries(fields).map(([column, value]) => [
    column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    displayValue(column, value),
  ]);
  return { collection: place, userId, kind: isOwn ? "person" : "mention", fields: Object.fromEntries(shown) };
}

/** The latest moment that a Date holds; actions that wait for ever have one behind it. */
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
