import { auditEntry } from "../../platform/auth/audit/entry.ts";
import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import { singleLine } from "../../platform/base/text.ts";
import { type Clock, type Ids, isoTime } from "../../platform/base/clock.ts";
import { invalid, notFound, type FieldError } from "../../platform/base/errors.ts";
import { requireAdmin, type Caller } from "../../platform/auth/caller.ts";
import type { Log } from "../../platform/base/log.ts";
import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import { hashText } from "./key.ts";
import type {
  Reachable,
  Suppression,
  SuppressionAnswer,
  SuppressionCheck,
  SuppressionFilter,
  SuppressionInput,
  SuppressionResult,
  SuppressionResults,
  SuppressionScope,
  SuppressionSource,
  SuppressionTarget,
  SuppressionView,
} from "./model.ts";
import type { PhoneRegion } from "../../platform/identity/phone.ts";
import type { SuppressionPage, SuppressionPageRequest, SuppressionStore } from "./store.ts";
import { readValue, type ReadValue } from "./value.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** Values stored per transaction (docs/api.md, "Repeating a request"). */
const batchSize = 500;
const exportPage = 500;

/** Values to add to the list, and their common settings. */
export type NewValues = {
  values: readonly { value: string; reason: string | null }[];
  scope: SuppressionScope;
  source: SuppressionSource;
  hashOnly: boolean;
};

/** The do-not-contact list, which takes precedence over everything else the service is asked to do. */
export class SuppressionService {
  readonly #store: SuppressionStore;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #log: Log;
  readonly #region: PhoneRegion | null;

  constructor(store: SuppressionStore, clock: Clock, ids: Ids, log: Log, region: PhoneRegion | null) {
    this.#store = store;
    this.#clock = clock;
    this.#ids = ids;
    this.#log = log;
    this.#region = region;
  }

  /**
   * Adds values to the list and returns one outcome per value. Values that are already listed keep their entry, so
   * requests are safe to repeat. Throws PERMISSION_DENIED for the list of the installation unless the caller is an admin.
   */
  async add(caller: Caller, workspaceId: WorkspaceId, input: SuppressionInput): Promise<SuppressionResults> {
    const { scope = "user", hashOnly = false } = input;
    const reason = input.reason ? singleLine(input.reason) || null : null;
    const values = input.values.map((value) => ({ value, reason }));
    const results = await this.addValues(caller, workspaceId, { values, scope, source: "api", hashOnly });
    return { ...countsOf(results), results };
  }

  /** Like `add`, for values with individual reasons. Outcomes are in the order of the values. */
  async addValues(caller: Caller, workspaceId: WorkspaceId, request: NewValues): Promise<SuppressionResult[]> {
    if (request.scope === "team") requireAdmin(caller);
    const results: SuppressionResult[] = [];
    for (let start = 0; start < request.values.length; start += batchSize)
      results.push(...(await this.#addBatch(workspaceId, request, request.values.slice(start, start + batchSize))));
    return results;
  }

  /** Returns an entry of the workspace or the installation. Throws NOT_FOUND otherwise. */
  async get(workspaceId: WorkspaceId, id: string): Promise<Suppression> {
    const entry = await this.#store.get(workspaceId, id);
    if (entry === null) throw notFound("suppression", id);
    return entry;
  }

  /** `total` counts all entries that match the filter. */
  async page(request: SuppressionPageRequest): Promise<SuppressionPage & { total: number }> {
    const [page, total] = await Promise.all([
      this.#store.page(request),
      this.#store.count(request.workspaceId, request.filter),
    ]);
    return { ...page, total };
  }

  /** All entries that match the filter, newest first, in pages. */
  async *all(workspaceId: WorkspaceId, filter: SuppressionFilter): AsyncGenerator<Suppression[], void, void> {
    let after: number | null = null;
    do {
      const page: SuppressionPage = await this.#store.page({ workspaceId, filter, after, limit: exportPage });
      if (page.entries.length > 0) yield page.entries;
      after = page.next;
    } while (after !== null);
  }

  /** The key of a value. Throws VALIDATION_ERROR if the value is invalid. */
  keyOf(value: string): Uint8Array {
    const read = readValue(value, this.#region);
    if ("problem" in read) throw invalid([{ path: "value", message: read.problem }]);
    return read.key;
  }

  /**
   * Removes an entry and logs who removed it. Throws PERMISSION_DENIED for entries of the installation unless the caller is an admin.
   */
  async remove(caller: Caller, workspaceId: WorkspaceId, id: string): Promise<void> {
    const entry = await this.#requireChangeable(caller, workspaceId, id);
    const audit = this.#audit(caller, "suppression.removed", workspaceId, entry);
    if (!(await this.#store.remove(workspaceId, id, audit))) throw notFound("suppression", id);
    this.#log.info({ ...trace(caller, workspaceId, entry) }, "do-not-contact entry removed");
  }

  /** Erases value and reason. The entry stays in effect through its hash. Throws the same errors as `remove`. */
  async forgetValue(caller: Caller, workspaceId: WorkspaceId, id: string): Promise<Suppression> {
    const entry = await this.#requireChangeable(caller, workspaceId, id);
    const audit = this.#audit(caller, "suppression.erased", workspaceId, entry);
    const forgotten = await this.#store.forgetValue(workspaceId, id, audit);
    if (forgotten === null) throw notFound("suppression", id);
    // The response may be sent before the commit is durable; the client learns if it fails.
    void this.#store.durable().then(
      () => this.#log.info({ ...trace(caller, workspaceId, entry) }, "value of do-not-contact entry erased"),
      () => {},
    );
    return forgotten;
  }

  /**
   * Finds the entries that block a person. Throws VALIDATION_ERROR for invalid identifiers, which would otherwise match
   * nothing.
   */
  async check(workspaceId: WorkspaceId, { email, networkUrl, phone }: SuppressionCheck): Promise<SuppressionAnswer> {
    const errors: FieldError[] = [];
    const understood = (path: string, text: string | undefined, kind: ReadValue["kind"]): string | null => {
      if (text === undefined) return null;
      const read = readValue(text, this.#region);
      if ("problem" in read) errors.push({ path, message: read.problem });
      else if (read.kind === kind) return read.value;
      else errors.push({ path, message: `"${singleLine(text)}" is no ${kind}.` });
      return null;
    };
    const target: SuppressionTarget = {
      email: understood("email", email, "email"),
      profileKey: understood("networkUrl", networkUrl, "profile"),
      phone: understood("phone", phone, "phone"),
    };
    if (errors.length === 0 && Object.values(target).every((value) => value === null))
      errors.push({ path: "", message: "Send an email, networkUrl, or phone." });
    if (errors.length > 0) throw invalid(errors);
    const matches = await this.#store.matches(workspaceId, target);
    return { doNotContact: matches.length > 0, matches };
  }

  /** IDs of the leads that may not be contacted. Adding an entry does not remove existing leads. */
  async among(workspaceId: WorkspaceId, leads: readonly (Reachable & { id: string })[]): Promise<ReadonlySet<string>> {
    const isSuppressed = await this.#store.among(workspaceId, leads);
    return new Set(leads.filter((_, index) => isSuppressed[index]).map(({ id }) => id));
  }

  /** Hash-only entries for the identifiers of a lead, which block the person after the lead has been erased. */
  entriesFor(lead: Reachable & { workspaceId: WorkspaceId }): Suppression[] {
    const profile = lead.networkUrl && canonicalProfileUrl(lead.networkUrl);
    return this.hashesOf(
      lead.workspaceId,
      [lead.email, profile, lead.phone].filter((way) => way !== null),
    );
  }

  /** Like `entriesFor`, for addresses, profiles, and phone numbers. Invalid ones are skipped. */
  hashesOf(workspaceId: WorkspaceId | null, ways: readonly string[]): Suppression[] {
    return ways.flatMap((text) => {
      const read = text === "" ? { problem: "" } : readValue(text, this.#region);
      if ("problem" in read || read.kind === "domain") return [];
      return [this.#entry(workspaceId, { ...read, value: null }, null, "erasure")];
    });
  }

  /** The entry for an address, a profile, or a phone number; null if it is invalid. Nothing is stored. */
  entryOf(workspaceId: WorkspaceId, text: string, source: SuppressionSource): Suppression | null {
    const read = readValue(text, this.#region);
    return "problem" in read ? null : this.#entry(workspaceId, read, null, source);
  }

  async #addBatch(
    workspaceId: WorkspaceId,
    request: NewValues,
    values: NewValues["values"],
  ): Promise<SuppressionResult[]> {
    const owner = request.scope === "team" ? null : workspaceId;
    const read = values.map(({ value }) => readValue(value, this.#region));
    const entries = read.flatMap((each, index) => {
      if ("problem" in each) return [];
      const { value, reason } = request.hashOnly
        ? { value: null, reason: null }
        : { value: each.value, reason: values[index]?.reason ?? null };
      return [this.#entry(owner, { ...each, value }, reason, request.source)];
    });
    const outcomes = (await this.#store.add(entries)).values();
    return read.map((each, index) => {
      const value = values[index]?.value ?? "";
      if ("problem" in each) return { value, outcome: "invalid", id: null, kind: null, message: each.problem };
      const { outcome, id } = outcomes.next().value!;
      return { value, outcome, id, kind: each.kind, ...(each.warning !== null && { message: each.warning }) };
    });
  }

  #audit(
    caller: Caller,
    action: "suppression.removed" | "suppression.erased",
    workspaceId: WorkspaceId,
    { id, kind, workspaceId: owner }: Suppression,
  ): AuditEntry {
    const details = { kind, scope: scopeOf(owner) };
    return auditEntry(caller, this.#clock.now(), { action, workspaceId, target: { type: "suppression", id }, details });
  }

  #entry(
    workspaceId: WorkspaceId | null,
    { kind, key, value }: Pick<ReadValue, "kind" | "key" | "value">,
    reason: string | null,
    source: SuppressionSource,
  ): Suppression {
    const createdAt = this.#clock.now();
    return { id: this.#ids.next(createdAt), workspaceId, kind, key, value, reason, source, createdAt };
  }

  async #requireChangeable(caller: Caller, workspaceId: WorkspaceId, id: string): Promise<Suppression> {
    const entry = await this.get(workspaceId, id);
    if (entry.workspaceId === null) requireAdmin(caller);
    return entry;
  }
}

function countsOf(results: readonly SuppressionResult[]): { added: number; existing: number; invalid: number } {
  const counts = { added: 0, existing: 0, invalid: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return counts;
}

/** Log fields, without the value, which is personal data. */
function trace({ keyId }: Caller, workspaceId: WorkspaceId, { id: entryId, kind, workspaceId: owner }: Suppression) {
  return { entryId, kind, scope: scopeOf(owner), workspaceId, keyId };
}

function scopeOf(owner: string | null): SuppressionScope {
  return owner === null ? "team" : "user";
}

export function suppressionView(entry: Suppression): SuppressionView {
  const { id, workspaceId, kind, key, value, reason, source, createdAt } = entry;
  const hash = hashText(kind, key);
  return { id, kind, scope: scopeOf(workspaceId), value, hash, reason, source, createdAt: isoTime(createdAt) };
}
