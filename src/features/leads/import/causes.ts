import type { ImportReportRow } from "../change-model.ts";
import { maxSamples, type ImportCause } from "./cause-model.ts";

/** A file with more kinds of mistakes is not one of people; the rest is counted together. */
const maxCauses = 50;

/** Groups the rows of a report by why they did not become new leads. Its size does not depend on the number of rows. */
export class ImportCauses {
  readonly #causes = new Map<string, ImportCause>();

  add({ row, outcome, leadId, errors }: ImportReportRow): void {
    const [error = { path: "", message: defaultReasons[outcome] ?? "" }] = errors;
    const message = withoutValues(error.message);
    const cause = this.#cause(outcome, error.path, message);
    cause.rows++;
    const detail = error.message === message ? null : error.message;
    if (cause.samples.length < maxSamples) cause.samples.push({ row, detail, leadId, name: null });
  }

  /** Most rows first. */
  get all(): ImportCause[] {
    return [...this.#causes.values()].toSorted((one, other) => other.rows - one.rows);
  }

  #cause(outcome: ImportCause["outcome"], path: string, message: string): ImportCause {
    const isFull = this.#causes.size >= maxCauses;
    const key = `${outcome} ${path} ${message}`;
    const found = this.#causes.get(key) ?? (isFull ? this.#causes.get(outcome) : undefined);
    if (found !== undefined) return found;
    const cause = isFull
      ? { outcome, path: "", message: "Other reasons.", rows: 0, samples: [] }
      : { outcome, path, message, rows: 0, samples: [] };
    this.#causes.set(isFull ? outcome : key, cause);
    return cause;
  }
}

const defaultReasons: Partial<Record<ImportReportRow["outcome"], string>> = {
  skipped: "Already a lead.",
  updated: "Merged into the existing lead.",
};

/** A message without what differs from row to row: quoted values and numbers. */
function withoutValues(message: string): string {
  return message
    .replace(/"[^"]*…?"/g, "…")
    .replace(/\bgot \d+/g, "got …")
    .replace(/\bhas \d+ cells/g, "has … cells");
}
