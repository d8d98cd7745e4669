import { singleLine } from "../clean-text.ts";
import type { Clock } from "../clock.ts";
import { invalid, type FieldError } from "../errors.ts";
import type { Ids } from "../ids.ts";
import { leadContent } from "../leads/identity.ts";
import { splitFullName } from "../leads/import/full-name.ts";
import { campaignTag, maxCampaignReference, type Lead, type LeadIdentity } from "../leads/model.ts";
import type { LeadStore } from "../leads/store.ts";
import { doNotContactText } from "../suppression/refusal.ts";
import { profileKeyOf, type ProfileHosts } from "./action-input.ts";
import type { UploadAnswer, UploadInput } from "./upload-model.ts";

type RowResult = UploadAnswer["results"][number];
/** Puts leads into a campaign and answers, by lead, "enrolled" or why not. */
export type Enroll = (
  userId: string,
  campaignId: string,
  leadIds: readonly string[],
  dryRun: boolean,
) => Promise<ReadonlyMap<string, string>>;

export type UploadParts = {
  leads: LeadStore;
  clock: Clock;
  ids: Ids;
  profileHosts: ProfileHosts;
  /** Whether the id is of a campaign here; CONFLICT when that takes nobody. */
  isCampaign: (userId: string, id: string) => Promise<boolean>;
  /** Adds a tag to leads that are there. */
  addTag: (userId: string, leadIds: readonly string[], tag: string) => Promise<void>;
  enroll: Enroll;
};

/** So many rows are written together; more would keep the event loop for longer than others should wait. */
const rowsAtOnce = 50;

/** Lists of people from elsewhere, who become leads. */
export class UploadService {
  readonly #parts: UploadParts;

  constructor(parts: UploadParts) {
    this.#parts = parts;
  }

  /**
   * Every row ends in one result. To send the same list again does no harm: its people are duplicates then. Into a
   * campaign of this server they are enrolled, if `requireApprover` lets them be; any other id is the client's own, and
   * is kept as a tag.
   */
  async upload(userId: string, input: UploadInput, requireApprover: () => void): Promise<UploadAnswer> {
    const { prospects, dryRun = false } = input;
    const id = singleLine(input.campaign_id ?? "");
    const isCampaign = id !== "" && (await this.#parts.isCampaign(userId, id));
    if (isCampaign) requireApprover();
    const reference = id === "" || isCampaign ? null : referenceTag(id);
    const tags = [...(input.tags ?? []), ...(reference === null ? [] : [reference])];
    const results: RowResult[] = [];
    const seen = new Set<string>();
    for (let start = 0; start < prospects.length; start += rowsAtOnce) {
      const rows = prospects.slice(start, start + rowsAtOnce);
      results.push(
        ...(await Promise.all(rows.map((row, n) => this.#store(userId, row, start + n, tags, dryRun, seen)))),
      );
    }
    if (isCampaign) await this.#enroll(userId, id, results, dryRun);
    if (reference !== null && !dryRun) await this.#refer(userId, reference, results);
    const uploaded = results.filter(({ outcome }) => outcome === "uploaded");
    return {
      success: true,
      uploaded_count: uploaded.length,
      skipped_count: results.length - uploaded.length,
      errors: results.flatMap(({ index, message }) => (message === null ? [] : `Row ${index}: ${message}`)),
      prospect_ids: uploaded.flatMap(({ prospect_id: id }) => id ?? []),
      results,
      dryRun,
    };
  }

  async #store(
    userId: string,
    row: unknown,
    index: number,
    tags: string[],
    dryRun: boolean,
    seen: Set<string>,
  ): Promise<RowResult> {
    const result = (outcome: RowResult["outcome"], id: string | null, message: string | null): RowResult => ({
      index,
      outcome,
      prospect_id: id,
      message,
      enrollment: null,
    });
    const read = this.#read(row, tags);
    if ("errors" in read) return result("invalid", null, read.errors.map(problemText).join(" "));
    const { clock, ids, leads } = this.#parts;
    const now = clock.now();
    const lead: Lead = { ...read.content, id: ids.next(now), userId, version: 1, createdAt: now, updatedAt: now };
    const request = { lead, identity: read.identity, onDuplicate: "error" } as const;
    const outcome = await (dryRun ? leads.foretell(request) : leads.insert(request));
    if (outcome.kind === "doNotContact") return result("doNotContact", null, doNotContactText(outcome.match));
    if (outcome.kind === "duplicate") return result("duplicate", outcome.lead.id, "This person is a lead already.");
    // What a dry run does not store it can't find again.
    if (dryRun && isRepeat(read.identity, seen))
      return result("duplicate", null, "This person stands in the list more than once.");
    return result("uploaded", dryRun ? null : outcome.lead.id, null);
  }

  #read(row: unknown, tags: string[]): ReturnType<typeof leadContent> {
    if (typeof row !== "object" || row === null || Array.isArray(row))
      return { errors: [{ path: "", message: "Expected an object with name and network_url." }] };
    const errors: FieldError[] = [];
    const text = (field: string, isRequired: boolean): string => {
      const value = (row as Record<string, unknown>)[field] ?? "";
      if (typeof value !== "string") errors.push({ path: field, message: `Expected a text, got ${typeof value}.` });
      else if (isRequired && singleLine(value) === "") errors.push({ path: field, message: "Is missing." });
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

  /** Also of people who were leads before, as with a campaign. Those with as many tags as a lead can have stay as they are. */
  async #refer(userId: string, reference: string, results: readonly RowResult[]): Promise<void> {
    const known = results.flatMap(({ outcome, prospect_id: id }) => (outcome === "duplicate" ? (id ?? []) : []));
    for (let start = 0; start < known.length; start += rowsAtOnce)
      await this.#parts.addTag(userId, known.slice(start, start + rowsAtOnce), reference);
  }

  async #enroll(userId: string, campaignId: string, results: RowResult[], dryRun: boolean): Promise<void> {
    const known = results.flatMap(({ prospect_id: id }) => id ?? []);
    const enrollments = await this.#parts.enroll(userId, campaignId, known, dryRun);
    for (const result of results)
      if (result.prospect_id !== null) result.enrollment = enrollments.get(result.prospect_id) ?? null;
      else if (dryRun && result.outcome === "uploaded") result.enrollment = "enrolled";
  }
}

function referenceTag(id: string): string {
  if (id.length <= maxCampaignReference) return campaignTag(id);
  const message = `Expected at most ${maxCampaignReference} characters for an id of your own, got ${id.length}.`;
  throw invalid([{ path: "campaign_id", message }]);
}

function problemText({ path, message }: FieldError): string {
  return path === "" ? message : `${path}: ${message}`;
}

/** Whether somebody with one of these keys was seen before; notes them all. */
function isRepeat({ email, network, name }: LeadIdentity, seen: Set<string>): boolean {
  const keys = [email && `e ${email}`, network && `n ${network}`].filter((key) => typeof key === "string");
  const isKnown = keys.some((key) => seen.has(key)) || (keys.length === 0 && name !== null && seen.has(`p ${name}`));
  for (const key of keys) seen.add(key);
  if (name !== null) seen.add(`p ${name}`);
  return isKnown;
}
