import type { Clock } from "../../platform/base/clock.ts";
import { domainOfEmail } from "../../platform/identity/email-domain.ts";
import type { EnrichField } from "./fields.ts";
import type { GuardedOutcome, GuardedProvider } from "./provider-guard.ts";
import type { Finding, Merged, Subject, Verdict } from "./model.ts";
import type { LookUpContext, LookUpOutcome } from "./provider.ts";
import { Verdicts, verdictsIn } from "./verdicts.ts";
import { cleanedFindings, extendSubject, isWorthAsking, merge, withoutRefuted } from "./waterfall.ts";

type FoundOutcome = Extract<LookUpOutcome, { kind: "found" }>;

/** Known data about a person, and the names of the providers that have answered. */
export type Known = { merged: Merged; asked: readonly string[] };
export const nothingKnown: Known = { merged: {}, asked: [] };

/**
 * Loads stored verdicts on addresses. `before`: verdicts that are being refreshed, valid until there is a new one.
 */
export type Recall = (emails: readonly string[]) => Promise<{ before: readonly Verdict[]; now: readonly Verdict[] }>;
const recallNothing: Recall = async () => ({ before: [], now: [] });

/**
 * `unavailable`: providers that could still add requested data but could not be queried or did not answer. `paused` and
 * `spent` are the subsets that are paused or have reached their monthly cap. `verdicts` are all that apply;
 * `newVerdicts` only those obtained by this lookup.
 */
export type LookUpResult = {
  merged: Merged;
  asked: string[];
  unavailable: string[];
  paused: string[];
  spent: string[];
  verdicts: Verdicts;
  newVerdicts: Verdict[];
  /** Everything was already known; this lookup found nothing new. */
  isFromStore: boolean;
};

export type LookUpOptions = {
  wanted: ReadonlySet<EnrichField>;
  providers: readonly GuardedProvider[];
  context: Omit<LookUpContext, "wanted">;
  clock: Clock;
  known?: Known;
  recall?: Recall;
};

/**
 * Looks up one person: queries the providers that can still add requested data, one at a time, in order. A finding may
 * be the input that another provider needs, so the search restarts at the first provider after each answer. No provider
 * is queried twice, nor for data that is already `known`, nor to verify an address that is refuted or that it has
 * verified before. A provider that verified an address may be queried once more for another one.
 *
 * When refreshing, an earlier verdict does not prevent queries. Until there is a new verdict, it limits the confidence
 * of its address; if there is none in the end, it applies.
 */
export class LookUp {
  #input: Subject;
  readonly #options: LookUpOptions;
  readonly #recall: Recall;
  readonly #verdicts = new Verdicts();
  readonly #previousVerdicts = new Verdicts();
  readonly #recalled = new Set<string>();
  readonly #newVerdicts: Verdict[] = [];
  readonly #asked: Set<string>;
  readonly #waiting: Set<GuardedProvider>;
  /** Providers that have verified an address and are not asked to verify another. */
  readonly #verified = new Set<GuardedProvider>();
  /** Providers that were queried for some of their data and may be queried once for all of it. */
  readonly #askedPartially = new Set<GuardedProvider>();
  readonly #unavailable: GuardedProvider[] = [];
  readonly #paused: GuardedProvider[] = [];
  readonly #spent: GuardedProvider[] = [];
  #current: GuardedProvider | null = null;
  #isFromStore = true;
  #merged: Merged;
  #subject: Subject;

  constructor(input: Subject, options: LookUpOptions) {
    const { providers, known = nothingKnown, recall = recallNothing } = options;
    this.#input = input;
    this.#options = options;
    this.#recall = recall;
    this.#asked = new Set(known.asked);
    this.#waiting = new Set(providers.filter(({ name }) => !known.asked.includes(name)));
    this.#merged = known.merged;
    this.#subject = extendSubject(input, known.merged);
  }

  async run(): Promise<LookUpResult> {
    const { wanted, clock, providers } = this.#options;
    const context = { ...this.#options.context, wanted };
    await this.#recallKnownVerdicts();
    for (;;) {
      this.#subject = this.#currentSubject();
      const next = providers.find((provider) => this.#waiting.has(provider) && this.#canAdd(provider, this.#subject));
      if (next === undefined) return this.currentResult();
      this.#waiting.delete(next);
      this.#current = next;
      const subject = this.#subject;
      const outcome = context.signal.aborted ? timedOut : await next.lookUp(subject, context);
      if (outcome.kind === "found") await this.#add(next.name, outcome, clock.now());
      if (outcome.kind === "found" || outcome.kind === "none") this.#markAnswered(next, subject);
      else this.#markUnavailable(next);
      if (outcome.kind === "skipped" && !next.canPayFor(subject)) this.#spent.push(next);
      else if (outcome.kind === "paused" || outcome.kind === "skipped") this.#paused.push(next);
      this.#current = null;
    }
  }

  #markAnswered(provider: GuardedProvider, subject: Subject): void {
    if (provider.asksPartially(subject, this.#options.wanted)) {
      this.#askedPartially.add(provider);
      this.#waiting.add(provider);
      return;
    }
    this.#asked.add(provider.name);
    if (provider.verifies(subject) === null) return;
    this.#verified.add(provider);
    this.#waiting.add(provider);
  }

  /** Applies even to a provider that verified an address earlier: it has not returned its other data. */
  #markUnavailable(provider: GuardedProvider): void {
    this.#asked.delete(provider.name);
    this.#unavailable.push(provider);
  }

  /** The result so far. Providers that have not answered yet count as unavailable. */
  currentResult(): LookUpResult {
    // Includes providers that would have verified the sent address, even if the search has moved on to another one.
    const subjects = [this.#subject, extendSubject(this.#input, this.#merged, this.#verdicts)];
    const namesOf = (list: readonly GuardedProvider[]) =>
      list.filter((provider) => subjects.some((subject) => this.#canAdd(provider, subject))).map(({ name }) => name);
    const silent = this.#current === null ? [] : [this.#current];
    const verdicts = this.#previousVerdicts.overriddenBy(this.#verdicts);
    return {
      merged: this.#withPreviousVerdicts(verdicts),
      asked: [...this.#asked],
      unavailable: namesOf([...this.#unavailable, ...silent, ...this.#waiting]),
      paused: namesOf(this.#paused),
      spent: namesOf(this.#spent),
      verdicts,
      newVerdicts: [...this.#newVerdicts],
      isFromStore: this.#isFromStore,
    };
  }

  #canAdd(provider: GuardedProvider, subject: Subject): boolean {
    const isInPart = this.#askedPartially.has(provider) && provider.asksPartially(subject, this.#options.wanted);
    return !isInPart && this.#isUndecided(provider, subject) && this.#isWorthAsking(provider, subject);
  }

  #isWorthAsking(provider: GuardedProvider, subject: Subject): boolean {
    return isWorthAsking(this.#merged, this.#options.wanted, provider.fieldsFor(subject));
  }

  /** Whether the provider can add more than an existing verdict on the address it would verify. */
  #isUndecided(provider: GuardedProvider, subject: Subject): boolean {
    const doubted = provider.verifies(subject);
    if (doubted === null) return true;
    return (
      !this.#verified.has(provider) &&
      !this.#verdicts.isRefuted(doubted) &&
      !this.#verdicts.hasVerdictFrom(provider.name, doubted)
    );
  }

  /**
   * The subject with everything known so far. A sent address that was refuted earlier is verified again like any other;
   * once no provider is left to verify it, the search moves on to another address.
   */
  #currentSubject(): Subject {
    const known = extendSubject(this.#input, this.#merged, this.#verdicts);
    if (!this.#isSentEmailDoubted()) return known;
    const { email } = this.#input;
    const willBeAsked = [...this.#waiting].some(
      (provider) => provider.verifies(known) === email && this.#canAdd(provider, known),
    );
    return willBeAsked
      ? known
      : extendSubject(this.#input, this.#merged, this.#previousVerdicts.overriddenBy(this.#verdicts));
  }

  #isSentEmailDoubted(): boolean {
    const { email } = this.#input;
    return email !== null && this.#verdicts.of(email) === null && this.#previousVerdicts.isRefuted(email);
  }

  /**
   * Removes known addresses that have been refuted since, and applies existing verdicts so they are not requested
   * again.
   */
  async #recallKnownVerdicts(): Promise<void> {
    const { email } = this.#input;
    const found = emailsIn(this.#merged);
    await this.#recallVerdicts(email === null ? found : [...found, email]);
    this.#merged = withoutRefuted(this.#merged, this.#previousVerdicts.overriddenBy(this.#verdicts));
    const verdict = email === null || this.#merged.email !== undefined ? null : this.#verdicts.of(email);
    if (verdict !== null) this.#merged = this.#withVerdict(verdict, this.#verdicts);
  }

  async #add(provider: string, found: FoundOutcome, at: number): Promise<void> {
    this.#isFromStore = false;
    if (found.hasLeft === true) this.#input = withFormerEmail(this.#input);
    const findings = cleanedFindings(found.findings);
    const fresh = await this.#recallVerdicts(findings.flatMap(emailsOf));
    for (const verdict of verdictsIn(findings, provider, at)) {
      this.#verdicts.add(verdict);
      this.#newVerdicts.push(verdict);
    }
    // If the sent address was refuted earlier, any other address may replace it.
    const input = this.#isSentEmailDoubted() ? { ...this.#input, email: null } : this.#input;
    const capped = findings.map((finding) => this.#capConfidence(finding));
    this.#merged = merge(this.#merged, provider, capped, input, at, this.#verdicts);
    for (const verdict of fresh) this.#merged = this.#withVerdict(verdict, this.#verdicts);
  }

  /** Limits the confidence of an address to its earlier verdict, so that it is verified again. */
  #capConfidence(finding: Finding): Finding {
    const { field, value, confidence, verifies = false } = finding;
    if (verifies || field !== "email" || typeof value !== "string") return finding;
    const before = this.#verdicts.of(value) === null ? this.#previousVerdicts.of(value) : null;
    if (before === null) return finding;
    return { ...finding, confidence: Math.min(confidence, Math.max(before.confidence, minConfidence)) };
  }

  /** Loads verdicts on addresses that have not come up before; returns those that apply. */
  async #recallVerdicts(emails: readonly string[]): Promise<readonly Verdict[]> {
    const unseen = [...new Set(emails)].filter((email) => !this.#recalled.has(email));
    if (unseen.length === 0) return [];
    for (const email of unseen) this.#recalled.add(email);
    const { before, now } = await this.#recall(unseen);
    for (const verdict of before) this.#previousVerdicts.add(verdict);
    for (const verdict of now) this.#verdicts.add(verdict);
    return now;
  }

  /** The merged data with earlier verdicts applied to addresses that were not verified again. */
  #withPreviousVerdicts(verdicts: Verdicts): Merged {
    const { email: sent } = this.#input;
    const found = this.#merged.email?.value;
    const email = typeof found === "string" ? found : sent;
    const before = email === null || this.#verdicts.of(email) !== null ? null : this.#previousVerdicts.of(email);
    const merged = before === null ? this.#merged : this.#withVerdict(before, verdicts);
    return withoutRefuted(merged, verdicts);
  }

  #withVerdict({ email, provider, confidence, at }: Verdict, verdicts: Verdicts): Merged {
    if (this.#merged.email === undefined && this.#input.email !== email) return this.#merged;
    const finding: Finding = { field: "email", value: email, confidence, verifies: true };
    return merge(this.#merged, provider, [finding], this.#input, at, verdicts);
  }
}

/** Confidence of an address that was refuted earlier: kept so that it can be verified again, but below any other. */
const minConfidence = 0.01;

/** The person has left the company of this address, so its domain must not be used for the search. */
function withFormerEmail(input: Subject): Subject {
  const isOfAddress = input.email !== null && input.domain === domainOfEmail(input.email);
  return { ...input, emailIsFormer: true, domain: isOfAddress ? null : input.domain };
}

function emailsOf({ field, value }: Pick<Finding, "field" | "value">): string[] {
  return field === "email" || field === "alternativeEmails" ? [value].flat() : [];
}

function emailsIn({ email, alternativeEmails }: Merged): string[] {
  const said = [email, alternativeEmails].filter((each) => each !== undefined);
  return said.flatMap(({ value }) => [value].flat());
}

const timedOut: GuardedOutcome = { kind: "failed", reason: "Timed out" };
