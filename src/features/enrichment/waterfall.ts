import { singleLine } from "../../platform/base/clean-text.ts";
import { companyKey } from "../../platform/identity/company-key.ts";
import { domainOfWebsite } from "../../platform/identity/domain.ts";
import { businessDomain } from "../../platform/identity/email-domain.ts";
import { canonicalEmail, extractEmailAddress, isEmailAddress } from "../../platform/identity/email.ts";
import { isList, maxListItems, maxTextLength, recordWeights, type EnrichField } from "./fields.ts";
import type { FieldValue, Finding, Merged, MergedField, Subject } from "./model.ts";
import { refutes, Verdicts } from "./verdicts.ts";

// How the words of several providers become one record. Pure: nobody is asked here.

/** So sure of a field, nobody else is asked about it. */
export const sureEnough = 0.8;
/**
 * Below this a value is a guess: shown with its confidence, but not charged for and not written to a lead. So is an
 * address that is formed as that of one colleague; two make it likely.
 */
export const worthPaying = 0.6;
/** No number of agreeing providers makes a field more certain. */
const surest = 0.99;
/** A second address that is less likely is not worth showing. */
const likelyAlternative = 0.4;
/** A record under another family name may be of somebody else; people do marry. */
const otherNameFactor = 0.5;

/** Whether asking somebody who brings these fields can still add to what is wanted. */
export function isWorthAsking(
  merged: Merged,
  wanted: ReadonlySet<EnrichField>,
  brings: readonly EnrichField[],
): boolean {
  return brings.some((field) => wanted.has(field) && (merged[field]?.confidence ?? 0) < sureEnough);
}

/**
 * Adds what a provider said: the surer value wins, among equals the earlier one; others who agree make it surer; lists
 * are joined; an address that loses becomes an alternative; a verification decides. `input` is what was asked about;
 * an address that `verdicts` refute is left out, whoever brings it.
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
  const isOwnRight = input.email !== null && !verdicts.isRefuted(input.email);
  const factor = namesSomebodyElse(input, findings) ? otherNameFactor : 1;
  for (const finding of cleanedFindings(findings)) {
    const { field, verifies = false } = finding;
    const value = verifies ? finding.value : believable(field, finding.value, verdicts);
    if (value === null) continue;
    // A verdict is about the address, whoever it belongs to.
    const confidence = verifies ? decided(finding, verdicts) : finding.confidence * factor;
    const said = { value, confidence, providers: [provider], at };
    if (isList(field)) joinList(draft, field, said);
    else if (verifies) decide(draft, field, said);
    else if (field === "email" && isOwnRight && !isSameValue(field, value, input.email ?? ""))
      joinList(draft, "alternativeEmails", said);
    else if (said.confidence > 0) choose(draft, field, said);
  }
  return withoutRefuted(draft, verdicts);
}

/** What is left of a record when addresses that verifiers refute are taken out. */
export function withoutRefuted(merged: Merged, verdicts: Verdicts): Merged {
  const entries = entriesOf(merged).map(([field, said]) => ({
    field,
    said,
    value: believable(field, said.value, verdicts),
  }));
  if (entries.every(({ said, value }) => value === said.value)) return merged;
  return Object.fromEntries(
    entries.flatMap(({ field, said, value }) => (value === null ? [] : [[field, { ...said, value }]])),
  );
}

/** The value without addresses that are refuted; null when nothing is left of it. */
function believable(field: EnrichField, value: FieldValue, verdicts: Verdicts): FieldValue | null {
  if (field === "email") return typeof value === "string" && verdicts.isRefuted(value) ? null : value;
  if (field !== "alternativeEmails") return value;
  const emails = [value].flat();
  const right = emails.filter((email) => !verdicts.isRefuted(email));
  if (right.length === emails.length) return value;
  return right.length === 0 ? null : right;
}

/** What a verification comes to, where others were asked about the same address. */
function decided({ value, confidence }: Finding, verdicts: Verdicts): number {
  return (typeof value === "string" ? verdicts.of(value)?.confidence : null) ?? confidence;
}

function choose(draft: Merged, field: EnrichField, said: MergedField): void {
  const existing = draft[field];
  if (existing !== undefined && isSameValue(field, existing.value, said.value)) {
    // Who says the same twice has no second witness.
    const isWitness = said.providers.some((each) => !existing.providers.includes(each));
    const confidence = isWitness
      ? Math.min(surest, 1 - (1 - existing.confidence) * (1 - said.confidence))
      : Math.max(existing.confidence, said.confidence);
    draft[field] = { ...existing, confidence, providers: joined(existing.providers, said.providers) };
    return;
  }
  const isBetter = existing === undefined || said.confidence > existing.confidence;
  const loser = isBetter ? existing : said;
  if (isBetter) draft[field] = said;
  if (field === "email" && loser !== undefined && loser.confidence >= likelyAlternative)
    joinList(draft, "alternativeEmails", loser);
}

/** A verification is about one value: it sets how sure that one is, or takes it away. */
function decide(draft: Merged, field: EnrichField, said: MergedField): void {
  const existing = draft[field];
  if (existing !== undefined && !isSameValue(field, existing.value, said.value)) return;
  if (refutes(said)) delete draft[field];
  else if (existing === undefined) draft[field] = said;
  else
    draft[field] = {
      ...existing,
      confidence: said.confidence,
      providers: joined(existing.providers, said.providers),
    };
}

function joinList(draft: Merged, field: EnrichField, said: MergedField): void {
  const existing = draft[field];
  const known = new Set([existing?.value ?? []].flat().map(folded));
  if (field === "alternativeEmails" && draft.email) known.add(folded([draft.email.value].flat().join("\n")));
  const fresh = [said.value].flat().filter((item) => !known.has(folded(item)) && known.add(folded(item)));
  if (fresh.length === 0 || said.confidence <= 0) return;
  draft[field] = {
    value: [...[existing?.value ?? []].flat(), ...fresh].slice(0, maxListItems),
    confidence: Math.max(existing?.confidence ?? 0, said.confidence),
    providers: joined(existing?.providers ?? [], said.providers),
    at: existing?.at ?? said.at,
  };
}

function joined(ours: readonly string[], theirs: readonly string[]): string[] {
  return [...new Set([...ours, ...theirs])];
}

/** The providers whose word counts in the record. */
export function sourcesOf(merged: Merged): string[] {
  return [...new Set(entriesOf(merged).flatMap(([, { providers }]) => providers))];
}

/** Clean texts of bounded length, and addresses that are some; what nothing is left of is no finding. */
export function cleanedFindings(findings: readonly Finding[]): Finding[] {
  return findings.map(cleaned).filter((finding) => finding !== null);
}

function cleaned(finding: Finding): Finding | null {
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

function namesSomebodyElse({ lastName }: Subject, findings: readonly Finding[]): boolean {
  const theirs = findings.find(({ field }) => field === "lastName")?.value;
  return lastName !== null && theirs !== undefined && !isSameValue("lastName", theirs, lastName);
}

/** What is known by now: what was asked, and what was found where that was empty. */
export function extended(input: Subject, merged: Merged, verdicts = new Verdicts()): Subject {
  const found = (field: EnrichField): string | null => {
    const value = merged[field]?.value;
    return typeof value === "string" ? value : null;
  };
  const address = found("email");
  const foundEmail = address === null ? null : canonicalEmail(address);
  const isSure = (merged.email?.confidence ?? 0) >= sureEnough;
  const emailIsRefuted = input.email !== null && verdicts.isRefuted(input.email);
  const right = (emailIsRefuted ? null : input.email) ?? (isSure ? foundEmail : null);
  // One that is wrong still tells who is meant.
  const email = right ?? input.email;
  const candidateEmail = right === null ? foundEmail : null;
  const { emailIsFormer = false } = input;
  const named = emailIsFormer && email === input.email ? null : email;
  const ofEmail = businessDomain(named ?? candidateEmail ?? "");
  return {
    email,
    ...(emailIsFormer && { emailIsFormer }),
    ...(emailIsRefuted && right === null && { emailIsRefuted }),
    candidateEmail,
    networkUrl: input.networkUrl ?? found("networkUrl"),
    firstName: input.firstName ?? found("firstName"),
    lastName: input.lastName ?? found("lastName"),
    company: input.company ?? found("company") ?? found("companyInfo.name"),
    domain: input.domain ?? domainOfWebsite(found("companyInfo.website") ?? "") ?? ofEmail,
  };
}

/** The part of a record that belongs to the wanted fields. */
export function restricted(merged: Merged, wanted: ReadonlySet<EnrichField>): Merged {
  return Object.fromEntries(entriesOf(merged).filter(([field]) => wanted.has(field)));
}

/** What was sent, by field. */
export type InputTexts = Partial<Record<EnrichField, string | null | undefined>>;

/** Whether the record says anything, at least so sure, that was not in the input. */
export function isNews(merged: Merged, input: InputTexts, leastConfidence: number): boolean {
  return entriesOf(merged).some(
    ([field, { value, confidence }]) => confidence >= leastConfidence && !isSameValue(field, value, input[field] ?? ""),
  );
}

/** The weighted mean of what the parts are sure of; parts that are absent do not count. */
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

/** Whether two values of a field mean the same: company names as `companyKey` compares them, other text as `folded`. */
function isSameValue(field: EnrichField, one: FieldValue, other: FieldValue): boolean {
  const isName = field === "company" || field === "companyInfo.name";
  const comparable = (value: FieldValue) =>
    isName && typeof value === "string" ? companyKey(value) : folded([value].flat().join("\n"));
  return comparable(one) === comparable(other);
}

/** Text without differences in case, accents, spacing, the form of a URL, and the spelling of an e-mail domain. */
function folded(text: string): string {
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
