import { isObject } from "../../leads/import/raw-lead.ts";
import { isWrapper } from "./nested-names.ts";

export type Entry = { name: string; value: unknown };

/** Limits on nesting. Deeper or further fields are irrelevant, and a line may contain a hundred thousand names. */
const maxDepth = 4;
const maxNested = 300;
/** Wrapper objects, as in `{"data": {"person": …}}`, do not count toward the depth, up to this number. */
const maxWrapped = 4;

/**
 * Flattens an object: its own fields, followed by those of nested objects with dotted names. A revenue object is one
 * value. Includes fields without a value, because even an empty company field distinguishes a person from a company.
 */
export function flatEntries(object: Record<string, unknown>): Entry[] {
  const own: Entry[] = [];
  const nested: Entry[] = [];
  for (const name in object) {
    const value = object[name];
    if (isNested(value)) addNested(value, `${name}.`, { depth: 1, wrapped: 0 }, name, nested);
    else own.push({ name, value });
  }
  return nested.length === 0 ? own : [...own, ...nested];
}

/** Number of objects that enclose a value. */
type Place = { depth: number; wrapped: number };

/** `name`: the field name of the object. `at`: its position. */
function addNested(object: Record<string, unknown>, before: string, at: Place, name: string, nested: Entry[]): void {
  const inside =
    at.wrapped < maxWrapped && isWrapper(name) ? { ...at, wrapped: at.wrapped + 1 } : { ...at, depth: at.depth + 1 };
  if (inside.depth > maxDepth) return;
  for (const own in object) {
    if (nested.length >= maxNested) return;
    const value = object[own];
    if (isNested(value)) addNested(value, `${before}${own}.`, inside, own, nested);
    else nested.push({ name: before + own, value });
  }
}

function isNested(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !("min" in value || "max" in value);
}

/**
 * The fields of the current job from a list of jobs, such as `experience` in People Data Labs and `employment_history`
 * in Apollo, even if the record is wrapped in another object. Empty if no job in the list is current.
 */
export function currentJob(object: Record<string, unknown>): Entry[] {
  for (const record of recordsIn(object, 0))
    for (const name of jobLists) {
      const list = record[name];
      if (!Array.isArray(list)) continue;
      const jobs = list.slice(0, maxJobs).filter(isObject);
      const job = jobs.find((one) => currentMarks.some((mark) => one[mark] === true)) ?? jobs.find(hasNoEnd);
      if (job !== undefined) return flatEntries(job);
    }
  return [];
}

/** An object, and any records it wraps. */
function* recordsIn(object: Record<string, unknown>, wrapped: number): Generator<Record<string, unknown>> {
  yield object;
  if (wrapped === maxWrapped) return;
  for (const name in object) {
    const value = object[name];
    if (isNested(value) && isWrapper(name)) yield* recordsIn(value, wrapped + 1);
  }
}

/** Whether `currentJob` reads a field with this name. */
export function isJobList(name: string): boolean {
  return jobLists.includes(name.slice(name.lastIndexOf(".") + 1));
}

const jobLists = ["experience", "experiences", "employment_history", "employmentHistory", "work_experience", "positions", "jobs"]; // prettier-ignore
const maxJobs = 100;
const currentMarks = ["is_primary", "current", "is_current", "isCurrent"];
const ends = ["end_date", "ends_at", "endDate", "endsAt", "end"];
const begins = ["start_date", "starts_at", "startDate", "startsAt", "start"];

/** Whether a job has a start but no end date. */
function hasNoEnd(job: Record<string, unknown>): boolean {
  if (currentMarks.some((mark) => job[mark] === false)) return false;
  const isOpen = (end: unknown) =>
    end === null || end === undefined || (typeof end === "string" && /^(present|now)?$/i.test(end));
  return (
    begins.some((name) => job[name] !== undefined && job[name] !== null) && ends.every((name) => isOpen(job[name]))
  );
}

/**
 * The text in a value; several for a list, whose objects have it under a name such as `address`. Other types are
 * ignored: vendors use true for data that exists but is hidden, and false or empty lists for missing data.
 */
export function textsIn(value: unknown): string[] {
  if (Array.isArray(value))
    return value.slice(0, maxItems).flatMap((item) => textsIn(isObject(item) ? ofItem(item) : item).slice(0, 1));
  if (typeof value === "number") return [String(value)];
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? [] : [text];
}

/** More technologies than are stored. */
const maxItems = 1000;

/**
 * People Data Labs: `emails` have an `address`, `phones` a `number`; Apollo: `phone_numbers` have a `sanitized_number`
 * and a `raw_number`; `technologies` of others have a `name`.
 */
function ofItem(item: Record<string, unknown>): unknown {
  for (const name of itemNames) if (typeof item[name] === "string" || typeof item[name] === "number") return item[name];
  return undefined;
}

const itemNames = ["address", "email", "number", "sanitized_number", "raw_number", "phone", "phone_number", "name", "value"]; // prettier-ignore
