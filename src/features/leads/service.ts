import { canonicalEmail } from "../../platform/identity/email.ts";
import { auditEntry } from "../../platform/auth/audit/entry.ts";
import { type Clock, type Ids, isoTime } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound } from "../../platform/base/errors.ts";
import type { Acting } from "../../platform/auth/access.ts";
import type { Caller } from "../../platform/auth/caller.ts";
import type { Suppression } from "../suppression/model.ts";
import { doNotContact } from "../suppression/refusal.ts";
import type { SuppressionService } from "../suppression/service.ts";
import { currentLead } from "./current-lead.ts";
import { leadContent, type LeadDraft } from "./identity.ts";
import {
  leadTextFields,
  type Lead,
  type LeadContent,
  type LeadFilter,
  type LeadIdentity,
  type LeadInput,
  type LeadPlace,
  type LeadSort,
  type LeadUpdate,
  type LeadView,
} from "./model.ts";
import type { ChangeLeadOutcome, DoNotContact, InsertLead, NoMember, UpdateLead } from "./change-model.ts";
import type { LeadPage, LeadPageRequest, LeadStore } from "./store.ts";
import { notAssignable } from "./assignees.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";

/** An update starts over if another request has changed the lead in the meantime; after this many tries it fails. */
const maxUpdateTries = 5;

/** Leads: the people to reach. */
export class LeadService {
  readonly #leads: LeadStore;
  readonly #suppressions: SuppressionService;
  readonly #clock: Clock;
  readonly #ids: Ids;

  constructor(leads: LeadStore, suppressions: SuppressionService, clock: Clock, ids: Ids) {
    this.#leads = leads;
    this.#suppressions = suppressions;
    this.#clock = clock;
    this.#ids = ids;
  }

  /**
   * VALIDATION_ERROR without an identifier; DO_NOT_CONTACT for a person on that list; with onDuplicate "error",
   * CONFLICT if the person is already a lead.
   */
  async create(
    { workspaceId, userId: actorId }: Acting,
    input: LeadInput,
    onDuplicate: InsertLead["onDuplicate"],
    formerEmails: readonly string[] = [],
  ): Promise<Lead> {
    // Only updates and imports set another status.
    const { content, identity } = contentOf({ ...input, status: "new" });
    const now = this.#clock.now();
    const lead: Lead = { ...content, id: this.#ids.next(now), workspaceId, version: 1, createdAt: now, updatedAt: now };
    const outcome = await this.#leads.insert({
      ...{ lead, identity, onDuplicate, actorId, ...assigneeOf(input) },
      formerEmails: formerEmails.map(canonicalEmail),
    });
    if (outcome.kind === "doNotContact") throw doNotContact(outcome.match);
    if (outcome.kind === "noMember") throw notAssignable(outcome.userId);
    if (outcome.kind !== "duplicate") return outcome.lead;
    throw new ApiError("CONFLICT", {
      message: `This person is already a lead: ${outcome.lead.id}. Use onDuplicate=update to add to it.`,
      details: { leadId: outcome.lead.id },
    });
  }

  /** The lead, or the one that it was merged into; null if there is neither. */
  find(workspaceId: WorkspaceId, id: string): Promise<Lead | null> {
    return currentLead(this.#leads, workspaceId, id);
  }

  /** As `find`. NOT_FOUND if there is neither. */
  async get(workspaceId: WorkspaceId, id: string): Promise<Lead> {
    const lead = await this.find(workspaceId, id);
    if (lead === null) throw notFound("lead", id);
    return lead;
  }

  /** `total` counts all leads that match the filter. */
  async page(request: LeadPageRequest): Promise<LeadPage & { total: number }> {
    const page = await this.#leads.page(request);
    const { workspaceId, filter, offset, after } = request;
    // The last page implies the total; counting would search for the same leads again.
    const isLast = page.next === null && after === null && (page.leads.length > 0 || offset === 0);
    const total = isLast ? offset + page.leads.length : await this.#leads.count(workspaceId, filter);
    return { ...page, total };
  }

  /**
   * Changes the fields that are sent. `versions`: the versions that the client accepts; null: any. DO_NOT_CONTACT if the
   * change adds an email address, profile, or phone number that is on that list.
   */
  async update(
    { workspaceId, userId: actorId }: Acting,
    id: string,
    input: LeadUpdate,
    versions: number[] | null,
    cause?: UpdateLead["cause"],
  ): Promise<Lead> {
    for (let attempt = 1; ; attempt++) {
      const lead = await this.get(workspaceId, id);
      if (versions?.includes(lead.version) === false) throw stale(lead);
      const change = this.#changeOf(lead, input, actorId);
      const outcome = await this.#leads.update({ ...change, ...(cause !== undefined && { cause }) });
      // It was merged into another one since it was read.
      const isGone = outcome.kind === "absent" && (await this.find(workspaceId, id)) !== null;
      if ((outcome.kind === "stale" || isGone) && versions === null && attempt < maxUpdateTries) continue;
      return changedLead(outcome, id);
    }
  }

  /**
   * Changes leads in one operation, each by the fields that `inputOf` returns for it as it is then; a lead without any
   * stays as it is. Assignees are not checked. Returns the lead, or why it was not changed, for each of the IDs; that of
   * a lead that was merged into another one stands for the other one.
   */
  async updateAll(
    { workspaceId, userId: actorId }: { workspaceId: WorkspaceId; userId: UserId | null },
    ids: readonly string[],
    inputOf: (lead: Lead) => LeadUpdate,
  ): Promise<ReadonlyMap<string, Lead | ApiError>> {
    const results = new Map<string, Lead | ApiError>();
    const survivors = await this.#leads.mergedInto(workspaceId, ids);
    const currentOf = (id: string) => survivors.get(id) ?? id;
    let pending = [...new Set(ids.map(currentOf))];
    for (let attempt = 1; pending.length > 0; attempt++) {
      const found = new Map((await this.#leads.getAll(workspaceId, pending)).map((lead) => [lead.id, lead]));
      const requests: UpdateLead[] = [];
      for (const id of pending) {
        const lead = found.get(id);
        const prepared = resultOf(() => {
          if (lead === undefined) throw notFound("lead", id);
          const input = sent(inputOf(lead));
          // Nothing to change: no new version and no event.
          return Object.keys(input).length === 0 ? lead : this.#changeOf(lead, input, actorId);
        });
        if (prepared instanceof ApiError || !("content" in prepared)) results.set(id, prepared);
        else requests.push(prepared);
      }
      const outcomes = requests.length === 0 ? [] : await this.#leads.updateAll(requests);
      pending = [];
      for (const [n, outcome] of outcomes.entries()) {
        const { id } = requests[n]!;
        if (outcome.kind === "stale" && attempt < maxUpdateTries) pending.push(id);
        else
          results.set(
            id,
            resultOf(() => changedLead(outcome, id)),
          );
      }
    }
    return new Map(ids.map((id) => [id, results.get(currentOf(id))!]));
  }

  #changeOf(lead: Lead, input: LeadUpdate, actorId: UserId | null): UpdateLead {
    const { content, identity } = contentOf({ ...draftOf(lead), ...sent(input) });
    const { workspaceId, id, version } = lead;
    const at = this.#clock.now();
    return { workspaceId, id, content, identity, version, at, actorId, ...assigneeOf(input) };
  }

  /**
   * Assigns all leads of one member to another, or to nobody; leads that change meanwhile may be left out. Nobody gets those
   * that the other one cannot, who is no longer a member.
   */
  async handOver(workspaceId: WorkspaceId, from: UserId, to: UserId | null): Promise<void> {
    const [sort, limit]: [LeadSort, number] = [{ field: "createdAt", descending: false }, exportPage];
    let after: LeadPlace | null = null;
    do {
      const request = { workspaceId, filter: { assignedTo: from }, sort, limit, offset: 0, after };
      const page: LeadPage = await this.#leads.page(request);
      const ids = page.leads.map(({ id }) => id);
      const handed = await this.updateAll({ workspaceId, userId: null }, ids, () => ({ assignedTo: to }));
      const refused = ids.filter((id) => isRefused(handed.get(id)));
      await this.updateAll({ workspaceId, userId: null }, refused, () => ({ assignedTo: null }));
      after = page.next;
    } while (after !== null);
  }

  /** Permanent. `versions` as in `update`. */
  async remove({ workspaceId, userId: actorId }: Acting, id: string, versions: number[] | null): Promise<void> {
    const lead = await this.#requireUnmerged(workspaceId, id);
    if (versions?.includes(lead.version) === false) throw stale(lead);
    const version = versions === null ? null : lead.version;
    changedLead(await this.#leads.remove({ workspaceId, id, version, at: this.#clock.now(), actorId }), id);
  }

  /** Removes leads in one operation. Returns the lead as it was, or why it was not removed, for each of the IDs. */
  async removeAll(
    { workspaceId, userId: actorId }: Acting,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Lead | ApiError>> {
    const unique = [...new Set(ids)];
    const at = this.#clock.now();
    const outcomes = await this.#leads.removeAll(unique.map((id) => ({ workspaceId, id, version: null, at, actorId })));
    return new Map(unique.map((id, n) => [id, resultOf(() => changedLead(outcomes[n]!, id))]));
  }

  /**
   * Removes the lead and, in the same operation, adds hashes of the person's identifiers to the do-not-contact list.
   * Returns those entries.
   */
  async erase(caller: Caller, workspaceId: WorkspaceId, id: string, versions: number[] | null): Promise<Suppression[]> {
    for (let attempt = 1; ; attempt++) {
      const lead = await this.#requireUnmerged(workspaceId, id);
      if (versions?.includes(lead.version) === false) throw stale(lead);
      const entries = this.#suppressions.entriesFor(lead);
      // Only the version that the entries were made from.
      const details = { suppressed: entries.map(({ kind }) => kind) };
      const event = { action: "lead.erased", workspaceId, target: { type: "lead", id }, details } as const;
      const at = this.#clock.now();
      const audit = auditEntry(caller, at, event);
      const outcome = await this.#leads.remove({
        workspaceId,
        id,
        version: lead.version,
        suppress: entries,
        at,
        audit,
        actorId: caller.userId,
      });
      if (outcome.kind === "stale" && versions === null && attempt < maxUpdateTries) continue;
      changedLead(outcome, id);
      return entries;
    }
  }

  /** What was merged into another lead is not deleted together with the other one: its own ID has to be sent for that. */
  async #requireUnmerged(workspaceId: WorkspaceId, id: string): Promise<Lead> {
    const lead = await this.get(workspaceId, id);
    if (lead.id === id) return lead;
    throw new ApiError("NOT_FOUND", {
      message: `Lead ${id} was merged into lead ${lead.id}. To delete that one, send its ID.`,
      details: { mergedInto: lead.id },
    });
  }

  /** All leads that match the filter, oldest first, in pages; may include leads that are created in the meantime. */
  async *all(workspaceId: WorkspaceId, filter: LeadFilter): AsyncGenerator<Lead[], void, void> {
    const sort: LeadSort = { field: "createdAt", descending: false };
    let after: LeadPlace | null = null;
    do {
      const page: LeadPage = await this.#leads.page({ workspaceId, filter, sort, limit: exportPage, offset: 0, after });
      if (page.leads.length > 0) yield page.leads;
      after = page.next;
    } while (after !== null);
  }
}

/** Loading and writing a page of this size blocks the event loop for about 3 ms. */
const exportPage = 200;

function contentOf(draft: LeadDraft): { content: LeadContent; identity: LeadIdentity } {
  const checked = leadContent(draft);
  // Spec, "Errors": each error in lead data has an index, even if the request has only one lead.
  if ("errors" in checked) throw invalid(checked.errors.map((error) => ({ ...error, index: 0 })));
  return checked;
}

function draftOf(lead: Lead): LeadDraft {
  const { status, tags, customFields, assignedTo } = lead;
  const texts = Object.fromEntries(leadTextFields.map((field) => [field, lead[field]]));
  return { ...texts, status, tags, customFields, assignedTo };
}

/** The fields that an update has; `undefined` would overwrite stored values. */
function sent(input: LeadUpdate): Partial<LeadDraft> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

/** A user to whom a lead is assigned has to be a member when it is stored. */
function assigneeOf({ assignedTo }: Pick<LeadUpdate, "assignedTo">): { assignee?: UserId } {
  return assignedTo ? { assignee: assignedTo } : {};
}

function isRefused(result: Lead | ApiError | undefined): boolean {
  return result instanceof ApiError && result.code === "VALIDATION_ERROR";
}

function changedLead(outcome: ChangeLeadOutcome | NoMember | DoNotContact, id: string): Lead {
  if (outcome.kind === "noMember") throw notAssignable(outcome.userId);
  if (outcome.kind === "doNotContact") throw doNotContact(outcome.match);
  if (outcome.kind === "absent") throw notFound("lead", id);
  if (outcome.kind === "stale") throw new ApiError("PRECONDITION_FAILED");
  return outcome.lead;
}

/** Errors that are the fault of the service are thrown on. */
function resultOf<T>(work: () => T): T | ApiError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function stale(lead: Lead): ApiError {
  return new ApiError("PRECONDITION_FAILED", {
    details: { currentVersion: lead.version, updatedAt: isoTime(lead.updatedAt) },
  });
}

/** Field by field, because it runs for every lead of every list: rest and spread take three times as long. */
export function leadView(lead: Lead): LeadView {
  const createdAt = isoTime(lead.createdAt);
  return {
    id: lead.id,
    firstName: lead.firstName,
    lastName: lead.lastName,
    email: lead.email,
    company: lead.company,
    title: lead.title,
    phone: lead.phone,
    networkUrl: lead.networkUrl,
    industry: lead.industry,
    location: lead.location,
    source: lead.source,
    notes: lead.notes,
    status: lead.status,
    tags: lead.tags,
    customFields: lead.customFields,
    assignedTo: lead.assignedTo,
    createdAt,
    updatedAt: lead.updatedAt === lead.createdAt ? createdAt : isoTime(lead.updatedAt),
  };
}
