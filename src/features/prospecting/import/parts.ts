import { isWholeEastAsianName } from "../../../platform/identity/east-asian-name.ts";
import { cleanTechnology, cleanText } from "../content.ts";
import { impliedByTitle } from "../facets/position.ts";
import { isNonManager, levelOfNonManager } from "../facets/seniority.ts";
import { rawNumbers, type RawFacet } from "../facets/terms.ts";
import { companyKey, canonicalName } from "../../../platform/identity/names.ts";
import { companyDomainKey, companyNameKey } from "../keys.ts";
import {
  maxTechnologies,
  prospectTextFields,
  prospectTextLimits,
  type ProspectTextField,
  type RevenueRange,
} from "../model.ts";
import { KnownPieces } from "./known-pieces.ts";
import { prospectTargetNames } from "./prospect-targets.ts";
import { namesIn, NumberedRaw, revenueOf, revenueOfNamed, revenueOfThousands } from "./row-values.ts";

/**
 * The stored form of a value. Most values of a file recur, so their stored forms are cached and rows are assembled from
 * such parts, which takes a fraction of the time needed to validate a whole row.
 */
export class Part {
  /** Index values implied by a title, for people without explicit seniority or department. */
  implied = nothingImplied;
  /** For a seniority; see `isNonManager`. */
  isNonManager = false;
  /** For a first name: it is complete without a last name. */
  isWholeName = false;
  range: RevenueRange | null = null;
  /** Values by confidence, created on demand. */
  #byPercent: (NumberedRaw | undefined)[] | null = null;

  constructor(
    /** `"field":"value",` in UTF-8; empty if there is nothing to store. */
    readonly json: Uint8Array,
    /** For a name or company: the form used in a `personNameKey`. */
    readonly regular: Uint8Array = noBytes,
    /** For a company or domain: its hash. */
    readonly key: number = 0,
    /** Index values. */
    readonly raws: readonly NumberedRaw[] = nothing,
  ) {}

  /** Index value of a revenue (or its absence) combined with a confidence in hundredths. */
  numbers(percent: number): NumberedRaw {
    this.#byPercent ??= [];
    return (this.#byPercent[percent] ??= new NumberedRaw("all", rawNumbers(percent / 100, this.range)));
  }
}

type ImpliedRaws = Record<"seniority" | "nonManager" | "department", readonly NumberedRaw[]>;
const noBytes = new Uint8Array();
const nothing: readonly NumberedRaw[] = [];
const nothingImplied: ImpliedRaws = {
  seniority: nothing,
  nonManager: [new NumberedRaw("seniority", levelOfNonManager(undefined))],
  department: nothing,
};
const encoder = new TextEncoder();
export const noPart = new Part(noBytes);

/** Parts by target number. Null if the value is too long. */
export const knownParts = new KnownPieces(partOf);

function partOf(target: number, raw: string): Part | null {
  const name = prospectTargetNames[target]!;
  if (name === "technologies") return technologiesPart(namesIn(raw));
  if (name === "revenue") return revenuePart(revenueOf(raw));
  if (name === "revenueThousands") return revenuePart(revenueOfThousands(raw));
  if (name === "revenueNamed") return revenuePart(revenueOfNamed(raw));
  return isTextField(name) ? textPart(name, raw) : noPart;
}

const textFields: ReadonlySet<string> = new Set(prospectTextFields);

function isTextField(target: string): target is ProspectTextField {
  return textFields.has(target);
}

function textPart(field: ProspectTextField, raw: string): Part | null {
  const text = cleanText(field, raw);
  if (!text) return noPart;
  if (text.length > prospectTextLimits[field]) return null;
  const json = encoder.encode(`"${field}":${JSON.stringify(text)},`);
  if (field === "domain") return new Part(json, noBytes, companyDomainKey(text));
  if (field === "company") return new Part(json, encoder.encode(companyKey(text)), companyNameKey(text));
  const isOfName = field === "firstName" || field === "lastName";
  const regular = isOfName ? encoder.encode(canonicalName(text)) : noBytes;
  const facet = facets[field];
  const part = new Part(json, regular, 0, facet === undefined ? nothing : [new NumberedRaw(facet, text)]);
  if (field === "firstName") part.isWholeName = isWholeEastAsianName(text);
  if (field === "title") part.implied = impliedRaws(text);
  if (field === "seniority") part.isNonManager = isNonManager(text);
  return part;
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

function impliedRaws(title: string): ImpliedRaws {
  const { seniorities, department } = impliedByTitle(title);
  const raws = (facet: RawFacet, raw: string | undefined) =>
    raw === undefined ? nothing : [new NumberedRaw(facet, raw)];
  return {
    seniority: seniorities.map((level) => new NumberedRaw("seniority", level)),
    nonManager: raws("seniority", levelOfNonManager(seniorities[0])),
    department: raws("department", department),
  };
}

export type Technology = { quoted: Uint8Array; value: NumberedRaw };
/** Result for text that is not a technology. */
export const noTechnology: Technology = { quoted: noBytes, value: new NumberedRaw("technology", "") };

export const knownTechnologies = new KnownPieces((_kind, name): Technology => {
  const raw = cleanTechnology(name);
  if (raw === null) return noTechnology;
  return { quoted: encoder.encode(JSON.stringify(raw)), value: new NumberedRaw("technology", raw) };
});

/** Adds a technology to a row, unless it is already present or the limit is reached. */
export function noteTechnology(found: Technology[], technology: Technology): void {
  if (technology === noTechnology || found.length >= maxTechnologies) return;
  for (let at = 0; at < found.length; at++) if (found[at]!.value.raw === technology.value.raw) return;
  found.push(technology);
}

export function technologiesPart(names: readonly string[]): Part {
  const found: Technology[] = [];
  for (const name of names) noteTechnology(found, knownTechnologies.of(0, name));
  if (found.length === 0) return noPart;
  const values = found.map(({ value }) => value);
  const json = encoder.encode(`"technologies":${JSON.stringify(values.map(({ raw }) => raw))},`);
  return new Part(json, noBytes, 0, values);
}

export function revenuePart(range: RevenueRange | null): Part {
  if (range === null) return noPart;
  const part = new Part(encoder.encode(`"revenue":{"min":${range.min},"max":${range.max}},`));
  part.range = range;
  return part;
}
