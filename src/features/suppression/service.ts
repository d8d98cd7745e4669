import { auditEntry } from "../../platform/auth/audit/entry.ts";
import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import { singleLine } from "../../platform/base/clean-text.ts";
import { isoTime, type Clock } from "../../platform/base/clock.ts";
import { invalid, notFound, type FieldError } from "../../platform/base/errors.ts";
import type { Ids } from "../../platform/base/ids.ts";
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

/** So many values are stored as one operation (docs/api.md, "Repeating a request"). */
const slice = 500;
const exportPage = 500;

/** Values that somebody wants on the list, with what holds for all of them. */
export type NewValues = {
  values: readonly { value: string; reason: string | null }[];
  scope: SuppressionScope;
  source: SuppressionSource;
  hashOnly: boolean;
};

/** The do-not-contact list: whom nobody may contact, whatever else the service is asked to do. */
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
   * Puts values on the list; each has an outcome of its own, and one that is there already keeps its entry. Safe to
   * repeat. PERMISSION_DENIED for the team's list, unless the caller is an admin.
   */
  async add(caller: Caller, userId: string, input: SuppressionInput): Promise<SuppressionResults> {
    const { scope = "user", hashOnly = false } = input;
    const reason = input.reason ? singleLine(input.reason) || null : null;
    const values = input.values.map((value) => ({ value, reason }));
    const results = await this.addValues(caller, userId, { values, scope, source: "api", hashOnly });
    return { ...countsOf(results), results };
  }

  /** As `add`, for values with a reason each. Outcomes in their order. */
  async addValues(caller: Caller, userId: string, request: NewValues): Promise<SuppressionResult[]> {
    if (request.scope === "team") requireAdmin(caller);
    const results: SuppressionResult[] = [];
    for (let start = 0; start < request.values.length; start += slice)
      results.push(...(await this.#addSlice(userId, request, request.values.slice(start, start + slice))));
    return results;
  }

  /** The entry, if it is the user's or the team's; else NOT_FOUND. */
  async get(userId: string, id: string): Promise<Suppression> {
    const entry = await this.#store.get(userId, id);
    if (entry === null) throw notFound("suppression", id);
    return entry;
  }

  /** `total` is of all entries that the filter lets through. */
  async page(request: SuppressionPageRequest): Promise<SuppressionPage & { total: number }> {
    const [page, total] = await Promise.all([
      this.#store.page(request),
      this.#store.count(request.userId, request.filter),
    ]);
    return { ...page, total };
  }

  /** All entries that the filter lets through, newest first, in pages. */
  async *all(userId: string, filter: SuppressionFilter): AsyncGenerator<Suppression[], void, void> {
    let after: number | null = null;
    do {
      const page: SuppressionPage = await this.#store.page({ userId, filter, after, limit: exportPage });
      if (page.entries.length > 0) yield page.entries;
      after = page.next;
    } while (after !== null);
  }

  /** The key that a value is found by; VALIDATION_ERROR when it can't be one. */
  keyOf(value: string): Uint8Array {
    const read = readValue(value, this.#region);
    if ("problem" in read) throw invalid([{ path: "value", message: read.problem }]);
    return read.key;
  }

  /** Who removed what, and when, goes to the log. PERMISSION_DENIED for the team's, unless the caller is an admin. */
  async remove(caller: Caller, userId: string, id: string): Promise<void> {
    const entry = await this.#changeable(caller, userId, id);
    const audit = this.#audit(caller, "suppression.removed", userId, entry);
    if (!(await this.#store.remove(userId, id, audit))) throw notFound("suppression", id);
    this.#log.info({ ...trace(caller, userId, entry) }, "removed from the do-not-contact list");
  }

  /** Forgets value and reason and keeps the hash, by which the entry goes on to hold. Refuses as `remove`. */
  async forgetValue(caller: Caller, userId: string, id: string): Promise<Suppression> {
    const entry = await this.#changeable(caller, userId, id);
    const audit = this.#audit(caller, "suppression.erased", userId, entry);
    const forgotten = await this.#store.forgetValue(userId, id, audit);
    if (forgotten === null) throw notFound("suppression", id);
    // The answer may be on its way before that; if it does not hold, the client is told so.
    void this.#store.durable().then(
      () => this.#log.info({ ...trace(caller, userId, entry) }, "forgot the value of a do-not-contact entry"),
      () => {},
    );
    return forgotten;
  }

  /** Which entries stand in the way of a person. VALIDATION_ERROR for what can't be understood: it would match nothing. */
  async check(userId: string, { email, networkUrl, phone }: SuppressionCheck): Promise<SuppressionAnswer> {
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
      errors.push({ path: "", message: "Send an email, a networkUrl or a phone." });
    if (errors.length > 0) throw invalid(errors);
    const matches = await this.#store.matches(userId, target);
    return { doNotContact: matches.length > 0, matches };
  }

  /** Ids of those leads that may not be contacted: an entry that came after a lead leaves the lead where it is. */
  async among(userId: string, leads: readonly (Reachable & { id: string })[]): Promise<ReadonlySet<string>> {
    const isSuppressed = await this.#store.among(userId, leads);
    return new Set(leads.filter((_, index) => isSuppressed[index]).map(({ id }) => id));
  }

  /** Entries that keep a person off after the lead is erased: hashes of what the lead can be reached by. */
  entriesFor(lead: Reachable & { userId: string }): Suppression[] {
    const profile = lead.networkUrl && canonicalProfileUrl(lead.networkUrl);
    return this.hashesOf(
      lead.userId,
      [lead.email, profile, lead.phone].filter((way) => way !== null),
    );
  }

  /** As `entriesFor`, of addresses, profiles and phone numbers; those that can't be read are left out. */
  hashesOf(userId: string | null, ways: readonly string[]): Suppression[] {
    return ways.flatMap((text) => {
      const read = text === "" ? { problem: "" } : readValue(text, this.#region);
      if ("problem" in read || read.kind === "domain") return [];
      return [this.#entry(userId, { ...read, value: null }, null, "erasure")];
    });
  }

  async #addSlice(userId: string, request: NewValues, values: NewValues["values"]): Promise<SuppressionResult[]> {
    const owner = request.scope === "team" ? null : userId;
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
    userId: string,
    { id, kind, userId: owner }: Suppression,
  ): AuditEntry {
    const details = { kind, scope: scopeOf(owner) };
    return auditEntry(caller, this.#clock.now(), { action, userId, target: { type: "suppression", id }, details });
  }

  #entry(
    userId: string | null,
    { kind, key, value }: Pick<ReadValue, "kind" | "key" | "value">,
    reason: string | null,
    source: SuppressionSource,
  ): Suppression {
    const createdAt = this.#clock.now();
    return { id: this.#ids.next(createdAt), userId, kind, key, value, reason, source, createdAt };
  }

  async #changeable(caller: Caller, userId: string, id: string): Promise<Suppression> {
    const entry = await this.get(userId, id);
    if (entry.userId === null) requireAdmin(caller);
    return entry;
  }
}

function countsOf(results: readonly SuppressionResult[]): { added: number; existing: number; invalid: number } {
  const counts = { added: 0, existing: 0, invalid: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return counts;
}

/** For the log: never the value, which is somebody's address. */
function trace({ keyId }: Caller, userId: string, { id: entryId, kind, userId: owner }: Suppression) {
  return { entryId, kind, scope: scopeOf(owner), userId, keyId };
}

function scopeOf(owner: string | null): SuppressionScope {
  return owner === null ? "team" : "user";
}

export function suppressionView(entry: Suppression): SuppressionView {
  const { id, userId, kind, key, value, reason, source, createdAt } = entry;
  const hash = hashText(kind, key);
  return { id, kind, scope: scopeOf(userId), value, hash, reason, source, createdAt: isoTime(createdAt) };
}
