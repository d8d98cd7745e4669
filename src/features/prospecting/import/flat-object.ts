import { isObject } from "../../leads/import/raw-lead.ts";
import { isWrapper } from "./nested-names.ts";

export type Entry = { name: string; value: unknown };

/** Deeper, and beyond so many, is nothing that anybody wants of a person: a line may be made of a hundred thousand names. */
const maxDepth = 4;
const maxNested = 300;
/** Objects that are only the record in others, as in `{"data": {"person": …}}`, do not count, but no more than these. */
const maxWrapped = 4;

/**
 * The fields of an object, and behind them those of objects inside it under names with dots; a revenue is one value.
 * Those without a value come too: a company that is not known still tells a person from a company.
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

/** How many objects a value lies in. */
type Place = { depth: number; wrapped: number };

/** `name` is the object's own, `at` where it stands. */
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
 * The fields of the job that somebody has now, of a list of jobs such as People Data Labs (`experience`) and Apollo
 * (`employment_history`) write it, also where the record lies in another object; none where no job of the list is one
 * of today.
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

/** An object, and those in it that are the record itself. */
function* recordsIn(object: Record<string, unknown>, wrapped: number): Generator<Record<string, unknown>> {
  yield object;
  if (wrapped === maxWrapped) return;
  for (const name in object) {
    const value = object[name];
    if (isNested(value) && isWrapper(name)) yield* recordsIn(value, wrapped + 1);
  }
}

/** Whether a field of that name is read by `currentJob`. */
export function isJobList(name: string): boolean {
  return jobLists.includes(name.slice(name.lastIndexOf(".") + 1));
}

const jobLists = ["experience", "experiences", "employment_history", "employmentHistory", "work_experience", "positions", "jobs"]; // prettier-ignore
const maxJobs = 100;
const currentMarks = ["is_primary", "current", "is_current", "isCurrent"];
const ends = ["end_date", "ends_at", "endDate", "endsAt", "end"];
const begins = ["start_date", "starts_at", "startDate", "startsAt", "start"];

/** It began, and its end is not said, or said to be none. */
function hasNoEnd(job: Record<string, unknown>): boolean {
  if (currentMarks.some((mark) => job[mark] === false)) return false;
  const isOpen = (end: unknown) =>
    end === null || end === undefined || (typeof end === "string" && /^(present|now)?$/i.test(end));
  return (
    begins.some((name) => job[name] !== undefined && job[name] !== null) && ends.every((name) => isOpen(job[name]))
  );
}

/**
 * The texts of a value: more than one of a list, whose objects have theirs under a name such as `address`. What is no
 * text says nothing: a vendor writes true for what there is and is not shown, false and lists of nothing for what is not.
 */
export function textsIn(value: unknown): string[] {
  if (Array.isArray(value))
    return value.slice(0, maxItems).flatMap((item) => textsIn(isObject(item) ? ofItem(item) : item).slice(0, 1));
  if (typeof value === "number") return [String(value)];
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? [] : [text];
}

/** More technologies than anybody keeps. */
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
