import { parseJson } from "../../../platform/base/text.ts";
import { columnPlan, type ColumnOverrides, type PlannedColumn } from "./column-plan.ts";
import { maxRecordLength } from "../../../lib/table-file/csv-records.ts";
import { undecodableRow } from "../../../platform/imports/file-format.ts";
import { problemHeader } from "../../../platform/imports/person-columns.ts";
import type { LeadFileRow } from "./lead-file-batch.ts";
import { isTooLong, NdjsonLines, type NdjsonLine } from "./ndjson-lines.ts";
import { customFieldName, isObject, isTextField, RawLead, type LeadDefaults } from "./raw-lead.ts";

/** How many names are cached: a file full of different names must not exhaust memory. */
const maxRememberedNames = 1000;

/**
 * Parses text with one JSON object per line, block by block, into rows of leads. Property names are those of a lead, or
 * headers as in CSV. `row` is the line; skips rows up to `afterRow` and empty lines.
 */
export class NdjsonRows {
  readonly #overrides: ColumnOverrides;
  readonly #defaults: LeadDefaults;
  readonly #afterRow: number;
  readonly #columns = new Map<string, PlannedColumn>();
  readonly #lines = new NdjsonLines();

  constructor(overrides: ColumnOverrides, defaults: LeadDefaults, afterRow: number) {
    this.#overrides = overrides;
    this.#defaults = defaults;
    this.#afterRow = afterRow;
  }

  /** The names seen so far, with their targets. */
  get columns(): PlannedColumn[] {
    return [...this.#columns.values()];
  }

  /** The rows that the next block completes; null marks the end of the file. */
  take(block: string | null, hasBadBytes: boolean): LeadFileRow[] {
    return this.#lines.take(block).flatMap((line) => this.#readLine(line, hasBadBytes) ?? []);
  }

  #readLine({ row, line }: NdjsonLine, hasBadBytes: boolean): LeadFileRow | null {
    if (row <= this.#afterRow || line.trim() === "") return null;
    const problem = tooLong(line) ?? (hasBadBytes ? undecodableRow([line]) : null);
    if (problem) return { row, errors: [{ path: "", message: problem }] };
    try {
      const value = parseJson(line);
      return isProblemOnly(value) ? null : { row, ...this.#lead(value) };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return { row, errors: [{ path: "", message: `The line is not JSON: ${error.message}.` }] };
    }
  }

  #lead(value: unknown): ReturnType<RawLead["finish"]> {
    if (!isObject(value)) return { errors: [{ path: "", message: "Expected a JSON object on each line." }] };
    const lead = new RawLead();
    for (const [name, part] of Object.entries(value)) if (part !== null) put(lead, this.#column(name), part);
    return lead.finish(this.#defaults);
  }

  #column(name: string): PlannedColumn {
    const known = this.#columns.get(name);
    if (known) return known;
    const [column = { header: name, target: "ignore", spareField: name }] = columnPlan([name], this.#overrides);
    if (this.#columns.size < maxRememberedNames) this.#columns.set(name, column);
    return column;
  }
}

/** In a file of failed rows, such a line says why the next one failed, which could not be given a property. */
function isProblemOnly(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, problemHeader);
}

function tooLong(line: string): string | null {
  return isTooLong(line) ? `The line is longer than ${maxRecordLength} characters.` : null;
}

function put(lead: RawLead, column: PlannedColumn, value: unknown): void {
  const { header, target } = column;
  if (target === "ignore") return;
  if (target === "tags") return putTags(lead, header, value);
  if (target === "customFields") return putCustomFields(lead, header, value);
  if (target.startsWith("customFields."))
    return lead.putCustomField(customFieldName(target as `customFields.${string}`), value);
  if (typeof value !== "string") return lead.putError(header, `Expected a string, got ${kindOf(value)}.`);
  if (value.trim() !== "") lead.putText(column, isTextField(target) ? value : value.trim());
}

function putTags(lead: RawLead, path: string, value: unknown): void {
  if (!Array.isArray(value)) return lead.putError(path, `Expected a list of strings, got ${kindOf(value)}.`);
  value.forEach((tag: unknown, index) => {
    if (typeof tag === "string") lead.putTags([tag]);
    else lead.putError(`${path}.${index}`, `Expected a string, got ${kindOf(tag)}.`);
  });
}

function putCustomFields(lead: RawLead, path: string, value: unknown): void {
  if (!isObject(value)) return lead.putError(path, `Expected an object, got ${kindOf(value)}.`);
  for (const [name, part] of Object.entries(value)) lead.putCustomField(name, part);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`.replace("a object", "an object");
}
