import { parseJson } from "../../json.ts";
import { maxRecordLength } from "../../leads/import/csv-records.ts";
import { unreadable } from "../../leads/import/csv-rows.ts";
import { isObject } from "../../leads/import/raw-lead.ts";
import { revenueRangeOf } from "../facets/ranges.ts";
import type { RevenueRange } from "../model.ts";
import { noteIgnored, profileOwner, prospectTargets, type ProspectTarget } from "./prospect-columns.ts";
import { numberOfTarget } from "./row-text.ts";
import type { RowWriter } from "./row-writer.ts";

type Entry = { name: string; value: unknown };

/** Names that are remembered; a file made of ever new names must not fill the memory. */
const maxRemembered = 1000;

/**
 * Turns the text of a file with a JSON object on each line into prospects. Names are those of a prospect, or headers as
 * in CSV; `{"company": {"name": …}}` counts as `"company name"`. Rows up to `afterRow` and empty lines are left out.
 */
export class ProspectNdjsonRows {
  /** Names that nobody understands, of the rows until now. */
  readonly ignored = new Set<string>();
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
    // A line that is too long need not be kept; it is enough that what is kept stays too long.
    if (this.#text.length > 2 * maxRecordLength) this.#text = this.#text.slice(0, maxRecordLength + 1);
    for (const line of lines) {
      this.#row++;
      if (this.#row > this.#afterRow && line.trim() !== "") this.#write(line, hasBadBytes);
    }
  }

  #write(line: string, hasBadBytes: boolean): void {
    if (line.length > maxRecordLength) return this.#refuse(`The line is longer than ${maxRecordLength} characters.`);
    const problem = hasBadBytes ? unreadable([line]) : null;
    if (problem !== null) return this.#refuse(problem);
    try {
      const value = parseJson(line);
      if (isObject(value)) this.#writeProspect(value);
      else this.#refuse("Expected a JSON object on each line.");
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#refuse(`The line is not JSON: ${error.message}.`);
    }
  }

  #writeProspect(object: Record<string, unknown>): void {
    const entries = [...flat(object)];
    const targets = this.#targetsOf(entries);
    const { text } = this.#to;
    text.clear();
    const put = (target: ProspectTarget, value: string): boolean =>
      text.has(numberOfTarget(target)) || text.set(numberOfTarget(target), value);
    let technologies: string[] | null = null;
    let revenue: RevenueRange | null = null;
    for (const [index, { value }] of entries.entries()) {
      const target = targets[index]!;
      if (target === "ignore") continue;
      const texts = textsIn(value);
      if (target === "technologies" && Array.isArray(value)) technologies = texts;
      else if (target === "department" && texts.length > 0) put(target, texts.join("; "));
      else if (target === "revenue" && isObject(value)) revenue = rangeIn(value);
      else if (texts.length > 0) put(target, texts[0]!);
    }
    if (this.#source !== null) put("source", this.#source);
    this.#to.write(this.#row, technologies, revenue);
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
      this.#targets.set(key, (targets = prospectTargets(names, this.#overrides, ofPeople)));
      noteIgnored(this.ignored, names, targets, this.#overrides);
    }
    return targets;
  }
}

/**
 * The fields of an object; those of an object inside it under both names. A revenue is one value. Those without a value
 * come too: a company that is not known still tells a person from a company.
 */
function* flat(object: Record<string, unknown>): Generator<Entry, void, void> {
  for (const [name, value] of Object.entries(object)) {
    if (isObject(value) && !("min" in value || "max" in value))
      for (const [inner, part] of Object.entries(value)) yield { name: `${name} ${inner}`, value: part };
    else yield { name, value };
  }
}

function rangeIn({ min, max }: Record<string, unknown>): RevenueRange | null {
  return revenueRangeOf(typeof min === "number" ? min : 0, typeof max === "number" ? max : null);
}

/**
 * The texts of a value: more than one of a list, whose objects have theirs under a name such as `address`. What is no
 * text says nothing: a vendor writes true for what there is and is not shown, false and lists of nothing for what is not.
 */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(isObject(item) ? ofItem(item) : item).slice(0, 1));
  if (typeof value === "number") return [String(value)];
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? [] : [text];
}

/** People Data Labs: `emails` have an `address`, `phones` a `number`, `technologies` of others a `name`. */
function ofItem({ address, number, name, value }: Record<string, unknown>): unknown {
  return address ?? number ?? name ?? value;
}
