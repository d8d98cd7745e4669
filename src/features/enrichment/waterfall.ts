import { singleLine } from "../../platform/base/text.ts";
import { companyKey } from "../../platform/identity/names.ts";
import { domainOfWebsite } from "../../platform/identity/domain.ts";
import { businessDomain } from "../../platform/identity/email-domain.ts";
import { canonicalEmail, extractEmailAddress, isEmailAddress } from "../../platform/identity/email.ts";
import { isList, maxListItems, maxTextLength, recordWeights, type EnrichField } from "./fields.ts";
import type { FieldValue, Finding, Merged, MergedField, Subject } from "./model.ts";
import { isRefutation, Verdicts } from "./verdicts.ts";

// Merges the findings of several providers into one record. Pure: no provider is queried here.

/** At this confidence, no further provider is queried for a field. */
export const sufficientConfidence = 0.8;
/**
 * Values below this confidence are guesses: returned, but not charged or written to a lead. An address that follows the
 * pattern of a single colleague is a guess; two colleagues make it likely.
 */
export const minBillableConfidence = 0.6;
/** Upper limit, however many providers agree. */
const maxConfidence = 0.99;
/** Less likely alternative addresses are not returned. */
const minAlternativeConfidence = 0.4;
/** Applied to records under a different family name, which may describe another person or one who changed names. */
const otherNameFactor = 0.5;

/** Whether a provider of these fields can still add requested data. */
export function isWorthAsking(
  merged: Merged,
  wanted: ReadonlySet<EnrichField>,
  fields: readonly EnrichField[],
): boolean {
  return fields.some((field) => wanted.has(field) && (merged[field]?.confidence ?? 0) < sufficientConfidence);
}

/**
 * Merges the findings of a provider: the value with the higher confidence wins (the earlier one in a tie), agreement
 * raises the confidence, lists are combined, a losing address becomes an alternative, and a verification is decisive.
 * `input` is the subject of the query. Addresses refuted by `verdicts` are left out, whichever provider returns them.
 */
export function merge(
  merged: Merged,
  provider: string,
  findings: readonly Finding[],
  input: Subject,
  at: number,
  verdicts = new Verdicts(),
): Merged {
  const draft = { ...merged };
  const isSentEmailValid = input.email !== null && !verdicts.isRefuted(input.email);
  const factor = isOtherPerson(input, findings) ? otherNameFactor : 1;
  for (const finding of cleanedFindings(findings)) {
    const { field, verifies = false } = finding;
    const value = verifies ? finding.value : withoutRefutedAddresses(field, finding.value, verdicts);
    if (value === null) continue;
    // A verdict applies to the address, regardless of its owner.
    const confidence = verifies ? verifiedConfidence(finding, verdicts) : finding.confidence * factor;
    const said = { value, confidence, providers: [provider], at };
    if (isList(field)) mergeList(draft, field, said);
    else if (verifies) applyVerification(draft, field, said);
    else if (field === "email" && isSentEmailValid && !isSameValue(field, value, input.email ?? ""))
      mergeList(draft, "alternativeEmails", said);
    else if (said.confidence > 0) mergeValue(draft, field, said);
  }
  return withoutRefuted(draft, verdicts);
}

/** The record without addresses that verifiers refute. */
export function withoutRefuted(merged: Merged, verdicts: Verdicts): Merged {
  const entries = entriesOf(merged).map(([field, said]) => ({
    field,
    said,
    value: withoutRefutedAddresses(field, said.value, verdicts),
  }));
  if (entries.every(({ said, value }) => value === said.value)) return merged;
  return Object.fromEntries(
    entries.flatMap(({ field, said, value }) => (value === null ? [] : [[field, { ...said, value }]])),
  );
}

/** The value without refuted addresses; null if none is left. */
function withoutRefutedAddresses(field: EnrichField, value: FieldValue, verdicts: Verdicts): FieldValue | null {
  if (field === "email") return typeof value === "string" && verdicts.isRefuted(value) ? null : value;
  if (field !== "alternativeEmails") return value;
  const emails = [value].flat();
  const remaining = emails.filter((email) => !verdicts.isRefuted(email));
  if (remaining.length === emails.length) return value;
  return remaining.length === 0 ? null : remaining;
}

/** Confidence of a verified address, considering all verdicts on it. */
function verifiedConfidence({ value, confidence }: Finding, verdicts: Verdicts): number {
  return (typeof value === "string" ? verdicts.of(value)?.confidence : null) ?? confidence;
}

function mergeValue(draft: Merged, field: EnrichField, said: MergedField): void {
  const existing = draft[field];
  if (existing !== undefined && isSameValue(field, existing.value, said.value)) {
    // A provider that repeats its own value does not confirm it.
    const isConfirmed = said.providers.some((each) => !existing.providers.includes(each));
    const confidence = isConfirmed
      ? Math.min(maxConfidence, 1 - (1 - existing.confidence) * (1 - said.confidence))
      : Math.max(existing.confidence, said.confidence);
    draft[field] = { ...existing, confidence, providers: union(existing.providers, said.providers) };
    return;
  }
  const isBetter = existing === undefined || said.confidence > existing.confidence;
  const loser = isBetter ? existing : said;
  if (isBetter) draft[field] = said;
  if (field === "email" && loser !== undefined && loser.confidence >= minAlternativeConfidence)
    mergeList(draft, "alternativeEmails", loser);
}

/** A verification applies to one value: it sets the confidence or removes the value. */
function applyVerification(draft: Merged, field: EnrichField, said: MergedField): void {
  const existing = draft[field];
  if (existing !== undefined && !isSameValue(field, existing.value, said.value)) return;
  if (isRefutation(said)) delete draft[field];
  else if (existing === undefined) draft[field] = said;
  else
    draft[field] = {
      ...existing,
      confidence: said.confidence,
      providers: union(existing.providers, said.providers),
    };
}

function mergeList(draft: Merged, field: EnrichField, said: MergedField): void {
  const existing = draft[field];
  const known = new Set([existing?.value ?? []].flat().map(foldText));
  if (field === "alternativeEmails" && draft.email) known.add(foldText([draft.email.value].flat().join("\n")));
  const fresh = [said.value].flat().filter((item) => !known.has(foldText(item)) && known.add(foldText(item)));
  if (fresh.length === 0 || said.confidence <= 0) return;
  draft[field] = {
    value: [...[existing?.value ?? []].flat(), ...fresh].slice(0, maxListItems),
    confidence: Math.max(existing?.confidence ?? 0, said.confidence),
    providers: union(existing?.providers ?? [], said.providers),
    at: existing?.at ?? said.at,
  };
}

function union(ours: readonly string[], theirs: readonly string[]): string[] {
  return [...new Set([...ours, ...theirs])];
}

/** The providers whose values are in the record. */
export function sourcesOf(merged: Merged): string[] {
  return [...new Set(entriesOf(merged).flatMap(([, { providers }]) => providers))];
}

/** Cleans and truncates text, and drops invalid addresses and empty findings. */
export function cleanedFindings(findings: readonly Finding[]): Finding[] {
  return findings.map(cleanFinding).filter((finding) => finding !== null);
}

function cleanFinding(finding: Finding): Finding | null {
  const { field, value } = finding;
  const confidence = Math.min(1, Math.max(0, finding.confidence));
  const isAddress = field === "email" || field === "alternativeEmails";
  const clean = (text: string): string | null => (isAddress ? extractEmailAddress(tidy(text)) : tidy(text)) || null;
  if (typeof value === "string") {
    const text = clean(value);
    return text === null ? null : { ...finding, value: text, confidence };
  }
  const items = value.map(clean).filter((item) => item !== null);
  return items.length === 0 ? null : { ...finding, value: items, confidence };
}

function tidy(text: string): string {
  const clean = singleLine(text);
  return clean.length > maxTextLength ? singleLine(clean.slice(0, maxTextLength)) : clean;
}

function isOtherPerson({ lastName }: Subject, findings: readonly Finding[]): boolean {
  const theirs = findings.find(({ field }) => field === "lastName")?.value;
  return lastName !== null && theirs !== undefined && !isSameValue("lastName", theirs, lastName);
}

/** The subject, with empty fields filled from what was found. */
export function extendSubject(input: Subject, merged: Merged, verdicts = new Verdicts()): Subject {
  const found = (field: EnrichField): string | null => {
    const value = merged[field]?.value;
    return typeof value === "string" ? value : null;
  };
  const address = found("email");
  const foundEmail = address === null ? null : canonicalEmail(address);
  const isSure = (merged.email?.confidence ?? 0) >= sufficientConfidence;
  const emailIsRefuted = input.email !== null && verdicts.isRefuted(input.email);
  const validEmail = (emailIsRefuted ? null : input.email) ?? (isSure ? foundEmail : null);
  // A refuted address still identifies the person.
  const email = validEmail ?? input.email;
  const candidateEmail = validEmail === null ? foundEmail : null;
  const { emailIsFormer = false } = input;
  const named = emailIsFormer && email === input.email ? null : email;
  const ofEmail = businessDomain(named ?? candidateEmail ?? "");
  return {
    email,
    ...(emailIsFormer && { emailIsFormer }),
    ...(emailIsRefuted && validEmail === null && { emailIsRefuted }),
    candidateEmail,
    networkUrl: input.networkUrl ?? found("networkUrl"),
    firstName: input.firstName ?? found("firstName"),
    lastName: input.lastName ?? found("lastName"),
    company: input.company ?? found("company") ?? found("companyInfo.name"),
    domain: input.domain ?? domainOfWebsite(found("companyInfo.website") ?? "") ?? ofEmail,
  };
}

/** The requested fields of a record. */
export function pickFields(merged: Merged, wanted: ReadonlySet<EnrichField>): Merged {
  return Object.fromEntries(entriesOf(merged).filter(([field]) => wanted.has(field)));
}

/** The input, by field. */
export type InputTexts = Partial<Record<EnrichField, string | null | undefined>>;

/** Whether the record contains anything that was not in the input, with at least this confidence. */
export function hasNewData(merged: Merged, input: InputTexts, leastConfidence: number): boolean {
  return entriesOf(merged).some(
    ([field, { value, confidence }]) => confidence >= leastConfidence && !isSameValue(field, value, input[field] ?? ""),
  );
}

/** Weighted mean of the confidence of all parts that are present. */
export function recordConfidence(merged: Merged): number {
  let sum = 0;
  let weights = 0;
  for (const { weight, fields: part } of recordWeights) {
    const confidences = part.flatMap((field) => merged[field]?.confidence ?? []);
    if (confidences.length === 0) continue;
    sum += (weight * confidences.reduce((total, each) => total + each, 0)) / confidences.length;
    weights += weight;
  }
  return weights === 0 ? 0 : rounded(sum / weights);
}

export function rounded(confidence: number): number {
  return Math.round(confidence * 100) / 100;
}

export function entriesOf(merged: Merged): [EnrichField, MergedField][] {
  return Object.entries(merged) as [EnrichField, MergedField][]; // the keys of a record are those of its type
}

/** What is said in a field: no text, one, or those of a list. */
export function textsAt(merged: Merged, field: EnrichField): string[] {
  return [merged[field]?.value ?? []].flat();
}

/** Whether two values of a field are equivalent. Company names are compared by `companyKey`, other text by `foldText`. */
function isSameValue(field: EnrichField, one: FieldValue, other: FieldValue): boolean {
  const isName = field === "company" || field === "companyInfo.name";
  const comparable = (value: FieldValue) =>
    isName && typeof value === "string" ? companyKey(value) : foldText([value].flat().join("\n"));
  return comparable(one) === comparable(other);
}

/** Normalizes case, accents, spacing, the form of URLs, and the spelling of email domains for comparison. */
function foldText(text: string): string {
  const value = isEmailAddress(text) ? canonicalEmail(text) : text;
  return value
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/^https?:\/\/(www\.)?/, "")
    .replace(/\/+$/, "")
    .replace(/\s+/g, " ")
    .trim();
}
