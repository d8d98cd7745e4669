import { regularNamePart } from "../../leads/identity.ts";
import { unguardedCell } from "../../leads/lead-csv.ts";
import { cleanTechnology, cleanText } from "../content.ts";
import { hashBasis, hashed } from "../../leads/import/plain-record.ts";
import { impliedByTitle, rawNumbers, type RawFacet } from "../facets/terms.ts";
import { companyDomainKey, companyNameKey } from "../keys.ts";
import {
  maxTechnologies,
  prospectTextFields,
  prospectTextLimits,
  type ProspectTextField,
  type RevenueRange,
} from "../model.ts";
import { ownText, remembered } from "../remembered.ts";
import type { ProspectTarget } from "./prospect-columns.ts";
import { namesIn, NumberedRaw, revenueOf, type Values } from "./row-values.ts";

/**
 * A value in the form in which it is stored. Most values of a file come again and again, so what is made of them is
 * remembered, and a row is put together of such parts: a third of the time that it takes to check the row as a whole.
 */
export class Part {
  /** What a title says of level and department. */
  implied: { seniority: Part; department: Part } | null = null;
  range: RevenueRange | null = null;
  /** By confidence; most parts never need it. */
  #byPercent: (NumberedRaw | undefined)[] | null = null;

  constructor(
    /** `"field":"value",`; "" when there is nothing to store. */
    readonly json: string,
    /** Of a name or company, as it stands in the key of a name. */
    readonly regular: string = "",
    /** Hash of a company or domain. */
    readonly key: number = 0,
    /** What a search finds it by. */
    readonly raws: readonly NumberedRaw[] = nothing,
  ) {}

  /** Of a revenue, or none: what it is found by together with a confidence, in hundredths. */
  numbers(percent: number): NumberedRaw {
    this.#byPercent ??= [];
    return (this.#byPercent[percent] ??= new NumberedRaw("all", rawNumbers(percent / 100, this.range)));
  }
}

const nothing: readonly NumberedRaw[] = [];
export const noPart = new Part("");

/** What a column says of a row, with what was made of it. */
export class Cell {
  /** Never empty. */
  readonly text: string;
  /** Null when the value is refused. */
  readonly part: Part | null;

  constructor(target: ProspectTarget, text: string) {
    this.text = text;
    this.part = makePart(target, text);
  }
}

/** What the columns of a row say. */
export type Cells = Partial<Record<ProspectTarget, Cell>>;

export function valuesOf(cells: Cells): Values {
  const values: Values = {};
  for (const target of Object.keys(cells) as ProspectTarget[]) values[target] = cells[target]!.text;
  return values;
}

export function cellsOf(values: Values): Cells {
  const cells: Cells = {};
  for (const target of Object.keys(values) as ProspectTarget[]) {
    const text = values[target];
    if (text !== undefined && text !== "") cells[target] = cellOf(target, text);
  }
  return cells;
}

/** By its text. Values that nearly every row has its own of are made anew: to remember them would cost more. */
export function cellOf(target: ProspectTarget, text: string): Cell {
  if (isUnique(target)) return new Cell(target, text);
  return (cellsByTarget[target] ??= remembered((own) => new Cell(target, own)))(text);
}

const cellsByTarget: Partial<Record<ProspectTarget, (text: string) => Cell>> = {};

const uniqueTargets: ReadonlySet<ProspectTarget> = new Set([
  "email", "networkUrl", "phone", "fullName", "company", "domain", "technologies",
]); // prettier-ignore

function isUnique(target: ProspectTarget): boolean {
  return uniqueTargets.has(target);
}

/**
 * What is made of pieces of a text, by the place where they stand, for a reader that has a hash of each already: what is
 * known is found without making a text of it. The table keeps its size. To let somebody in costs more than to make it
 * anew, because whatever is kept is walked by the garbage collector: who comes only once stays outside, and who is used
 * is not thrown out by the first newcomer.
 */
export class KnownPieces<T> {
  readonly #make: (kind: number, raw: string) => T;
  readonly #known: ({ kind: number; raw: string; made: T } | undefined)[];
  /** Of those who are known, in flat memory: nearly every stranger is told by it alone. */
  readonly #hashes = new Int32Array(slots);
  readonly #uses = new Uint8Array(slots);
  /** Hash of who came last and was not known. */
  readonly #strangers = new Int32Array(slots);

  constructor(make: (kind: number, raw: string) => T) {
    this.#make = make;
    this.#known = Array.from({ length: slots });
  }

  get(kind: number, hash: number, text: string, start: number, end: number): T {
    const slot = (hash ^ (hash >>> 15) ^ (kind * 0x9e37)) & (slots - 1);
    if (this.#hashes[slot] === hash) {
      const known = this.#known[slot];
      if (known !== undefined && known.kind === kind && stands(known.raw, text, start, end)) {
        if (this.#uses[slot]! < mostUses) this.#uses[slot]!++;
        return known.made;
      }
    }
    const raw = text.slice(start, end);
    const isStranger = this.#strangers[slot] !== hash;
    this.#strangers[slot] = hash;
    if (isStranger || (this.#uses[slot]! > 0 && --this.#uses[slot]! > 0)) return this.#make(kind, raw);
    const own = ownText(raw);
    const made = this.#make(kind, own);
    this.#known[slot] = { kind, raw: own, made };
    this.#hashes[slot] = hash;
    this.#uses[slot] = 1;
    return made;
  }
}

const slots = 2 ** 14;
const mostUses = 16;

/** The cells of a file by their columns. */
export class ColumnCells {
  readonly #targets: readonly ProspectTarget[];
  readonly #isUnique: boolean[];
  readonly #pieces: KnownPieces<Cell | null>;

  constructor(targets: readonly ProspectTarget[]) {
    this.#targets = targets;
    this.#isUnique = targets.map(isUnique);
    this.#pieces = new KnownPieces((column, raw) => {
      const text = unguardedCell(raw.trim());
      return text === "" ? null : new Cell(targets[column]!, text);
    });
  }

  /** Null when the cell is empty. */
  get(column: number, hash: number, text: string, start: number, end: number): Cell | null {
    const target = this.#targets[column]!;
    if (!this.#isUnique[column]!) return this.#pieces.get(column, hash, text, start, end);
    const own = textOf(text, start, end);
    return own === "" ? null : new Cell(target, own);
  }
}

/** Without blanks around and the quote of an export; nearly every cell has neither. */
function textOf(text: string, start: number, end: number): string {
  const first = text.charCodeAt(start);
  const last = text.charCodeAt(end - 1);
  const piece = text.slice(start, end);
  return first > apostrophe && first < 127 && last > space && last < 127 ? piece : unguardedCell(piece.trim());
}

const space = 32;
const apostrophe = 39;

function stands(raw: string, text: string, start: number, end: number): boolean {
  if (raw.length !== end - start) return false;
  for (let at = 0; at < raw.length; at++) if (raw.charCodeAt(at) !== text.charCodeAt(start + at)) return false;
  return true;
}

function makePart(target: ProspectTarget, raw: string): Part | null {
  if (target === "email" || target === "networkUrl") return noPart; // of each there is one, and it is looked at apart
  if (target === "technologies") return technologiesIn(raw);
  if (target === "revenue") return revenuePart(revenueOf(raw));
  return isTextField(target) ? textPart(target, raw) : noPart;
}

const textFields: ReadonlySet<string> = new Set(prospectTextFields);

function isTextField(target: string): target is ProspectTextField {
  return textFields.has(target);
}

/** Null when it is too long. */
export function textPart(field: ProspectTextField, raw: string): Part | null {
  const isPlain = isPlainText(raw);
  const text = isPlain && field !== "companySize" && field !== "domain" ? raw : cleanText(field, raw);
  if (!text) return noPart;
  if (text.length > prospectTextLimits[field]) return null;
  const json = isPlain ? `"${field}":"${text}",` : jsonOf(field, text);
  if (field === "domain") return new Part(json, "", companyDomainKey(text));
  const isOfName = field === "firstName" || field === "lastName" || field === "company";
  const regular = !isOfName ? "" : isPlain ? text.toLowerCase() : regularNamePart(text);
  if (field === "company") return new Part(json, regular, companyNameKey(text));
  const facet = facets[field];
  const part = new Part(json, regular, 0, facet === undefined ? nothing : [new NumberedRaw(facet, text)]);
  if (field === "title") part.implied = impliedParts(text);
  return part;
}

/** Whether nothing of a text needs cleaning or escapes: printable ASCII without quotes, backslashes and idle blanks. */
function isPlainText(text: string): boolean {
  let before = space;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < space || code > 126 || code === 34 || code === 92 || (code === space && before === space)) return false;
    before = code;
  }
  return before !== space;
}

const facets: { [F in ProspectTextField]?: RawFacet } = {
  industry: "industry",
  companySize: "size",
  location: "location",
  companyLocation: "location",
  title: "title",
  seniority: "seniority",
  department: "department",
};

function impliedParts(title: string): Part["implied"] {
  const { seniority, department } = impliedByTitle(title);
  return {
    seniority: (seniority === undefined ? null : textPart("seniority", seniority)) ?? noPart,
    department: (department === undefined ? null : textPart("department", department)) ?? noPart,
  };
}

export function technologiesPart(names: readonly string[]): Part {
  const found: Technology[] = [];
  for (const name of names) note(found, madeTechnology(0, name));
  return partOfAll(found);
}

/** The same of names in one text, as `namesIn` parts them. */
function technologiesIn(text: string): Part {
  if (text.startsWith("[")) return technologiesPart(namesIn(text));
  const separator = (text.includes(";") ? ";" : text.includes("|") ? "|" : ",").charCodeAt(0);
  const found: Technology[] = [];
  for (let at = 0; at <= text.length; at++) {
    while (at < text.length && text.charCodeAt(at) === space) at++;
    const start = at;
    let hash = hashBasis;
    for (let code = 0; at < text.length && (code = text.charCodeAt(at)) !== separator; at++) hash = hashed(hash, code);
    if (at > start) note(found, knownTechnologies.get(0, hash, text, start, at));
  }
  return partOfAll(found);
}

function note(found: Technology[], technology: Technology): void {
  if (technology === noTechnology || found.length >= maxTechnologies) return;
  for (let at = 0; at < found.length; at++) if (found[at]!.value.raw === technology.value.raw) return;
  found.push(technology);
}

function partOfAll(found: Technology[]): Part {
  if (found.length === 0) return noPart;
  return new Part(
    `"technologies":[${found.map(({ quoted }) => quoted).join(",")}],`,
    "",
    0,
    found.map(({ value }) => value),
  );
}

type Technology = { quoted: string; value: NumberedRaw };
const noTechnology: Technology = { quoted: "", value: new NumberedRaw("technology", "") };

function madeTechnology(_kind: number, name: string): Technology {
  const raw = cleanTechnology(name);
  return raw === null ? noTechnology : { quoted: JSON.stringify(raw), value: new NumberedRaw("technology", raw) };
}

const knownTechnologies = new KnownPieces(madeTechnology);

export function revenuePart(range: RevenueRange | null): Part {
  if (range === null) return noPart;
  const part = new Part(`"revenue":{"min":${range.min},"max":${range.max}},`);
  part.range = range;
  return part;
}

function jsonOf(field: ProspectTextField, text: string): string {
  return `"${field}":${JSON.stringify(text)},`;
}
