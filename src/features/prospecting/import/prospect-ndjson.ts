import { parseJson } from "../../../platform/base/text.ts";
import { maxRecordLength } from "../../../lib/table-file/csv-records.ts";
import { undecodableRow } from "../../../platform/imports/file-format.ts";
import { isObject } from "../../leads/import/raw-lead.ts";
import { revenueRangeOf } from "../facets/ranges.ts";
import type { RevenueRange } from "../model.ts";
import { currentJob, flatEntries, isJobList, textsIn, type Entry } from "./flat-object.ts";
import { noteIgnored, profileOwner, prospectTargets } from "./prospect-columns.ts";
import type { ProspectTarget } from "./prospect-targets.ts";
import { numberOfTarget } from "./row-text.ts";
import type { RowWriter } from "./row-writer.ts";

/** Maximum number of cached names, so that a file with ever new names cannot exhaust memory. */
const maxRemembered = 1000;
const longestKey = 20_000;

/** Values that a file has as a list or a range. */
type Ranges = { technologies: string[] | null; revenue: RevenueRange | null };

const ofJobTitle: ReadonlySet<ProspectTarget> = new Set(["title", "seniority", "department"]);
const ofJobCompany: ReadonlySet<ProspectTarget> = new Set([
  ...(["company", "domain", "industry", "companySize", "revenue", "technologies"] as const),
  ...(["companyLocation", "companyCity", "companyState", "companyCountry"] as const),
]);

/**
 * Converts a file with one JSON object per line into prospects. Names are prospect fields or CSV headers, and
 * `{"company": {"name": …}}` is equivalent to `"company.name"`. Skips rows up to `afterRow` and empty lines.
 */
export class ProspectNdjsonRows {
  /** Unrecognized names in the rows so far. */
  readonly ignored = new Set<string>();
  /** Every object can have different names. */
  readonly columns: { header: string; target: string }[] = [];
  readonly #overrides: ReadonlyMap<string, ProspectTarget>;
  readonly #source: string | null;
  readonly #afterRow: number;
  readonly #to: RowWriter;
  readonly #targets = new Map<string, ProspectTarget[]>();
  #row = 0;
  #text = "";

  constructor(overrides: ReadonlyMap<string, ProspectTarget>, source: string | null, afterRow: number, to: RowWriter) {
    this.#overrides = overrides;
    this.#source = source;
    this.#afterRow = afterRow;
    this.#to = to;
  }

  take(block: string | null, hasBadBytes: boolean): void {
    const lines = (this.#text + (block ?? "")).split("\n");
    this.#text = block === null ? "" : (lines.pop() ?? "");
    // Only enough of an overlong line is kept to recognize it as too long.
    if (this.#text.length > 2 * maxRecordLength) this.#text = this.#text.slice(0, maxRecordLength + 1);
    for (const line of lines) {
      this.#row++;
      if (this.#row > this.#afterRow && line.trim() !== "") this.#write(line, hasBadBytes);
    }
  }

  #write(line: string, hasBadBytes: boolean): void {
    if (line.length > maxRecordLength) return this.#refuse(`The line is longer than ${maxRecordLength} characters.`);
    const problem = hasBadBytes ? undecodableRow([line]) : null;
    if (problem !== null) return this.#refuse(problem);
    try {
      const value = parseJson(line);
      if (isObject(value)) this.#writeProspect(value);
      else this.#refuse("Expected one JSON object per line.");
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#refuse(`Invalid JSON: ${error.message}.`);
    }
  }

  #writeProspect(object: Record<string, unknown>): void {
    const { text } = this.#to;
    text.clear();
    const ranges: Ranges = { technologies: null, revenue: null };
    const entries = flatEntries(object);
    this.#put(entries, this.#targetsOf(entries), ranges);
    this.#putJob(object, ranges);
    if (this.#source !== null) this.#set("source", this.#source);
    this.#to.write(this.#row, ranges.technologies, ranges.revenue);
  }

  #put(entries: readonly Entry[], targets: readonly ProspectTarget[], ranges: Ranges): void {
    for (const [index, { value }] of entries.entries()) {
      const target = targets[index]!;
      if (target === "ignore") continue;
      const texts = textsIn(value);
      if (target === "revenue" && isObject(value)) ranges.revenue ??= rangeIn(value);
      if (texts.length === 0) continue;
      if (target === "technologies" && Array.isArray(value)) ranges.technologies ??= texts;
      else if (target === "department") this.#set(target, texts.join("; "));
      else this.#set(target, texts[0]!);
    }
  }

  /** Fills in missing data from the current job, but nothing about a company other than that of the record. */
  #putJob(object: Record<string, unknown>, ranges: Ranges): void {
    const { text } = this.#to;
    const has = (target: ProspectTarget) => text.has(numberOfTarget(target));
    const [needsTitle, needsCompany] = [!has("title"), !has("company") && !has("domain")];
    // Requires a personal name: a company's list of jobs contains its openings.
    if (!(needsTitle || needsCompany) || !(has("fullName") || has("firstName") || has("networkUrl") || has("email")))
      return;
    const job = currentJob(object);
    if (job.length === 0) return;
    const targets = prospectTargets(["full name", ...job.map(({ name }) => name)], this.#overrides).slice(1);
    const isWanted = (target: ProspectTarget) =>
      (needsTitle && ofJobTitle.has(target)) || (needsCompany && ofJobCompany.has(target));
    this.#put(
      job,
      targets.map((target) => (isWanted(target) ? target : "ignore")),
      ranges,
    );
  }

  /** Sets a value unless one is already set. */
  #set(target: ProspectTarget, value: string): void {
    const { text } = this.#to;
    if (!text.has(numberOfTarget(target))) text.set(numberOfTarget(target), value);
  }

  #refuse(message: string): void {
    this.#to.refuse(this.#row, message);
  }

  #targetsOf(entries: readonly Entry[]): ProspectTarget[] {
    const names = entries.map(({ name }) => name);
    const ofPeople = entries.flatMap(({ value }, at) =>
      typeof value === "string" && profileOwner(value) === "person" ? [at] : [],
    );
    const key = [...ofPeople, ...names].join("\n");
    let targets = this.#targets.get(key);
    if (targets === undefined) {
      if (this.#targets.size >= maxRemembered) this.#targets.clear();
      targets = prospectTargets(names, this.#overrides, ofPeople);
      if (key.length <= longestKey) this.#targets.set(key, targets);
      // Unused fields of job lists are not reported as unrecognized.
      const columns = names.map((name) => (isJobList(name) ? "" : name));
      noteIgnored(this.ignored, columns, targets, this.#overrides);
    }
    return targets;
  }
}

function rangeIn({ min, max }: Record<string, unknown>): RevenueRange | null {
  return revenueRangeOf(typeof min === "number" ? min : 0, typeof max === "number" ? max : null);
}
