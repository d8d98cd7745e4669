import type { AccountUser } from "./may-use.ts";
import { singleLine } from "../../platform/base/text.ts";
import { hasPermission } from "../../platform/auth/access.ts";
import { denied } from "../../platform/auth/caller.ts";
import type { Clock, Ids } from "../../platform/base/clock.ts";
import { invalid, type FieldError } from "../../platform/base/errors.ts";
import { leadContent } from "../leads/identity.ts";
import { splitFullName } from "../../platform/identity/full-name.ts";
import {
  campaignTag,
  maxCampaignReference,
  type ImportOnDuplicate,
  type Lead,
  type LeadIdentity,
} from "../leads/model.ts";
import type { InsertLead } from "../leads/change-model.ts";
import type { LeadStore } from "../leads/store.ts";
import { doNotContactText } from "../suppression/refusal.ts";
import { profileKeyOf, type ProfileHosts } from "./action-input.ts";
import type { UploadAnswer, UploadInput } from "./upload-model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

type RowOptions = {
  tags: string[];
  onDuplicate: ImportOnDuplicate;
  dryRun: boolean;
  /** Keys of the people in earlier rows of a dry run. */
  seen: Set<string>;
};
type RowResult = UploadAnswer["results"][number];
/** Enrolls leads in a campaign. Returns "enrolled" or the reason why not for each lead. */
export type Enroll = (
  workspaceId: WorkspaceId,
  campaignId: string,
  leadIds: readonly string[],
  dryRun: boolean,
) => Promise<ReadonlyMap<string, string>>;

export type UploadParts = {
  leads: LeadStore;
  clock: Clock;
  ids: Ids;
  profileHosts: ProfileHosts;
  /**
   * Whether the ID belongs to a campaign on this server. Throws CONFLICT if the campaign does not accept enrollments, and PERMISSION_DENIED if the user may not act with its
   * accounts.
   */
  isCampaign: (user: AccountUser, id: string) => Promise<boolean>;
  /** Adds a tag to existing leads. */
  addTag: (workspaceId: WorkspaceId, leadIds: readonly string[], tag: string) => Promise<void>;
  enroll: Enroll;
};

/** Rows stored in one operation (docs/api.md, "Repeating a request"). More would delay other requests for too long. */
const batchSize = 500;

/** Creates leads from uploaded lists of people. */
export class UploadService {
  readonly #parts: UploadParts;

  constructor(parts: UploadParts) {
    this.#parts = parts;
  }

  /**
   * Every row has one result. Safe to repeat unless second leads are created: people who were already uploaded are reported
   * as duplicates, or updated. Updates throw PERMISSION_DENIED without leads:write. If the campaign
   * is on this server, they are enrolled in it, provided that `requireApprover` does not throw. Any other campaign ID is the
   * client's own reference and is stored as a tag.
   */
  async upload(user: AccountUser, input: UploadInput, requireApprover: () => void): Promise<UploadAnswer> {
    const { workspaceId } = user;
    const { prospects, onDuplicate = "skip", dryRun = false } = input;
    if (onDuplicate === "update" && !hasPermission(user, "leads:write"))
      throw denied(user, "leads:write", "onDuplicate=update changes leads, which requires the permission leads:write.");
    const id = singleLine(input.campaign_id ?? "");
    const isCampaign = id !== "" && (await this.#parts.isCampaign(user, id));
    if (isCampaign) requireApprover();
    const reference = id === "" || isCampaign ? null : referenceTag(id);
    const tags = [...(input.tags ?? []), ...(reference === null ? [] : [reference])];
    const results: RowResult[] = [];
    const seen = new Set<string>();
    for (let start = 0; start < prospects.length; start += batchSize) {
      const rows = prospects.slice(start, start + batchSize);
      results.push(...(await this.#store(workspaceId, rows, start, { tags, onDuplicate, dryRun, seen })));
    }
    if (isCampaign) await this.#enroll(workspaceId, id, results, dryRun);
    if (reference !== null && !dryRun) await this.#tagExisting(workspaceId, reference, results);
    const uploaded = results.filter(({ outcome }) => outcome === "uploaded");
    const updatedCount = results.filter(({ outcome }) => outcome === "updated").length;
    return {
      success: true,
      uploaded_count: uploaded.length,
      updated_count: updatedCount,
      skipped_count: results.length - uploaded.length - updatedCount,
      errors: results.flatMap(({ index, message }) => (message === null ? [] : `Row ${index}: ${message}`)),
      prospect_ids: uploaded.flatMap(({ prospect_id: id }) => id ?? []),
      results,
      dryRun,
    };
  }

  /** Stores all valid rows or none. Returns the results in order; `start` is the index of the first row. */
  async #store(
    workspaceId: WorkspaceId,
    rows: readonly unknown[],
    start: number,
    { tags, onDuplicate, dryRun, seen }: RowOptions,
  ): Promise<RowResult[]> {
    const { clock, ids, leads } = this.#parts;
    const now = clock.now();
    const read = rows.map((row) => this.#read(row, tags));
    const requests = read.flatMap((each): InsertLead[] => {
      if ("errors" in each) return [];
      const lead: Lead = {
        ...each.content,
        id: ids.next(now),
        workspaceId,
        version: 1,
        createdAt: now,
        updatedAt: now,
      };
      return [{ lead, identity: each.identity, onDuplicate: onDuplicate === "skip" ? "error" : onDuplicate }];
    });
    const outcomes = (
      await (dryRun ? Promise.all(requests.map((each) => leads.previewInsert(each))) : leads.insertAll(requests))
    ).values();
    return read.map((each, n) => {
      const index = start + n;
      if ("errors" in each) return result(index, "invalid", null, each.errors.map(problemText).join(" "));
      const outcome = outcomes.next().value!;
      if (outcome.kind === "doNotContact") return result(index, "doNotContact", null, doNotContactText(outcome.match));
      if (outcome.kind === "noMember") throw new Error("An upload assigns leads to nobody");
      if (outcome.kind === "duplicate")
        return result(index, "duplicate", outcome.lead.id, "This person is already a lead.");
      // A dry run does not store earlier rows, so it tracks repeats itself.
      const isRepeated = dryRun && onDuplicate !== "create" && isRepeat(each.identity, seen);
      if (outcome.kind === "updated") return result(index, "updated", outcome.lead.id, null);
      if (isRepeated && onDuplicate === "update") return result(index, "updated", null, null);
      if (isRepeated) return result(index, "duplicate", null, "This person is in the list more than once.");
      return result(index, "uploaded", dryRun ? null : outcome.lead.id, null);
    });
  }

  #read(row: unknown, tags: string[]): ReturnType<typeof leadContent> {
    if (typeof row !== "object" || row === null || Array.isArray(row))
      return { errors: [{ path: "", message: "Expected an object with name and network_url." }] };
    const errors: FieldError[] = [];
    const text = (field: string, isRequired: boolean): string => {
      const value = (row as Record<string, unknown>)[field] ?? "";
      if (typeof value !== "string") errors.push({ path: field, message: `Expected a string, got ${typeof value}.` });
      else if (isRequired && singleLine(value) === "") errors.push({ path: field, message: "Required." });
      return typeof value === "string" ? value : "";
    };
    const name = text("name", true);
    const url = text("network_url", true);
    const [email, company, title, notes] = ["email", "company", "title", "notes"].map((field) => text(field, false));
    if (errors.length === 0) profileKeyOf(url, this.#parts.profileHosts, errors, "network_url");
    if (errors.length > 0) return { errors };
    const draft = { ...splitFullName(singleLine(name)), networkUrl: url, email, company, title, notes, tags };
    return leadContent({ ...draft, source: "network" });
  }

  /** Existing leads are tagged too, just as they would be enrolled. Leads with the maximum number of tags are unchanged. */
  async #tagExisting(workspaceId: WorkspaceId, reference: string, results: readonly RowResult[]): Promise<void> {
    const existingIds = results.flatMap(({ outcome, prospect_id: id }) => (outcome === "duplicate" ? (id ?? []) : []));
    for (let start = 0; start < existingIds.length; start += batchSize)
      await this.#parts.addTag(workspaceId, existingIds.slice(start, start + batchSize), reference);
  }

  async #enroll(workspaceId: WorkspaceId, campaignId: string, results: RowResult[], dryRun: boolean): Promise<void> {
    const leadIds = results.flatMap(({ prospect_id: id }) => id ?? []);
    const enrollments = await this.#parts.enroll(workspaceId, campaignId, leadIds, dryRun);
    for (const result of results)
      if (result.prospect_id !== null) result.enrollment = enrollments.get(result.prospect_id) ?? null;
      else if (dryRun && (result.outcome === "uploaded" || result.outcome === "updated"))
        result.enrollment = "enrolled";
  }
}

function referenceTag(id: string): string {
  if (id.length <= maxCampaignReference) return campaignTag(id);
  const message = `Expected at most ${maxCampaignReference} characters for your own ID, got ${id.length}.`;
  throw invalid([{ path: "campaign_id", message }]);
}

function result(index: number, outcome: RowResult["outcome"], id: string | null, message: string | null): RowResult {
  return { index, outcome, prospect_id: id, message, enrollment: null };
}

function problemText({ path, message }: FieldError): string {
  return path === "" ? message : `${path}: ${message}`;
}

/** Whether one of these keys has been seen before. Adds them all to `seen`. */
function isRepeat({ email, network, name }: LeadIdentity, seen: Set<string>): boolean {
  const keys = [email && `e ${email}`, network && `n ${network}`].filter((key) => typeof key === "string");
  const isKnown = keys.some((key) => seen.has(key)) || (keys.length === 0 && name !== null && seen.has(`p ${name}`));
  for (const key of keys) seen.add(key);
  if (name !== null) seen.add(`p ${name}`);
  return isKnown;
}
