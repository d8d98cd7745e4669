import type { Clock } from "../../platform/base/clock.ts";
import { domainOfEmail } from "../../platform/identity/email-domain.ts";
import type { EnrichField } from "./fields.ts";
import type { GuardedOutcome, GuardedProvider } from "./provider-guard.ts";
import type { Finding, Merged, Subject, Verdict } from "./model.ts";
import type { LookUpContext, LookUpOutcome } from "./provider.ts";
import { Verdicts, verdictsIn } from "./verdicts.ts";
import { cleanedFindings, extended, isWorthAsking, merge, withoutRefuted } from "./waterfall.ts";

type FoundOutcome = Extract<LookUpOutcome, { kind: "found" }>;

/** What is known of a person, and the names of those who have said what they know. */
export type Known = { merged: Merged; asked: readonly string[] };
export const nothingKnown: Known = { merged: {}, asked: [] };

/**
 * What verifiers have said of these addresses. `before`: what is asked for anew, and holds until somebody has answered.
 */
export type Recall = (emails: readonly string[]) => Promise<{ before: readonly Verdict[]; now: readonly Verdict[] }>;
const recallNothing: Recall = async () => ({ before: [], now: [] });

/**
 * `hindered`: who could still add to what is wanted, but could not be asked, or did not answer; `paused` are those of
 * them who were not asked because they pause, `spent` those whose monthly cap does not allow it. `verdicts` are all that count, `given` those that were given now.
 */
export type LookedUp = {
  merged: Merged;
  asked: string[];
  hindered: string[];
  paused: string[];
  spent: string[];
  verdicts: Verdicts;
  given: Verdict[];
  /** Nobody has found anything now: all of it was known. */
  isFromStore: boolean;
};

export type WhoToAsk = {
  wanted: ReadonlySet<EnrichField>;
  providers: readonly GuardedProvider[];
  context: Omit<LookUpContext, "wanted">;
  clock: Clock;
  known?: Known;
  recall?: Recall;
};

/**
 * Asks one provider after the other, in their order, about one person: those who can
 * still add to what is wanted. What one finds may be what another needs, so the order is gone through again after
 * each answer; nobody is asked twice, nor who was asked for what is `known` already, nor to verify an address that is
 * refuted or that the same provider has verified before. Who has verified an address may be asked once more for another.
 *
 * A verdict of before, where anew is asked, hinders nobody from being asked: meanwhile its address is no surer than it
 * says. It decides in the end, unless there is a new one.
 */
export class LookUp {
  #input: Subject;
  readonly #who: WhoToAsk;
  readonly #recall: Recall;
  readonly #verdicts = new Verdicts();
  readonly #before = new Verdicts();
  readonly #recalled = new Set<string>();
  readonly #given: Verdict[] = [];
  readonly #asked: Set<string>;
  readonly #waiting: Set<GuardedProvider>;
  /** Who has verified an address, and is not asked to verify another one. */
  readonly #verified = new Set<GuardedProvider>();
  /** Who was asked for a part of what they know, and may be asked once for all of it. */
  readonly #askedInPart = new Set<GuardedProvider>();
  readonly #hindered: GuardedProvider[] = [];
  readonly #paused: GuardedProvider[] = [];
  readonly #spent: GuardedProvider[] = [];
  #underWay: GuardedProvider | null = null;
  #isFromStore = true;
  #merged: Merged;
  #subject: Subject;

  constructor(input: Subject, who: WhoToAsk) {
    const { providers, known = nothingKnown, recall = recallNothing } = who;
    this.#input = input;
    this.#who = who;
    this.#recall = recall;
    this.#asked = new Set(known.asked);
    this.#waiting = new Set(providers.filter(({ name }) => !known.asked.includes(name)));
    this.#merged = known.merged;
    this.#subject = extended(input, known.merged);
  }

  async run(): Promise<LookedUp> {
    const { wanted, clock, providers } = this.#who;
    const context = { ...this.#who.context, wanted };
    await this.#recallKnown();
    for (;;) {
      this.#subject = this.#known();
      const next = providers.find((provider) => this.#waiting.has(provider) && this.#canAdd(provider, this.#subject));
      if (next === undefined) return this.soFar();
      this.#waiting.delete(next);
      this.#underWay = next;
      const subject = this.#subject;
      const outcome = context.signal.aborted ? outOfTime : await next.lookUp(subject, context);
      if (outcome.kind === "found") await this.#add(next.name, outcome, clock.now());
      if (outcome.kind === "found" || outcome.kind === "none") this.#hasAnswered(next, subject);
      else this.#hasNot(next);
      if (outcome.kind === "skipped" && !next.canPayFor(subject)) this.#spent.push(next);
      else if (outcome.kind === "paused" || outcome.kind === "skipped") this.#paused.push(next);
      this.#underWay = null;
    }
  }

  #hasAnswered(provider: GuardedProvider, subject: Subject): void {
    if (provider.asksInPart(subject, this.#who.wanted)) {
      this.#askedInPart.add(provider);
      this.#waiting.add(provider);
      return;
    }
    this.#asked.add(provider.name);
    if (provider.verifies(subject) === null) return;
    this.#verified.add(provider);
    this.#waiting.add(provider);
  }

  /** Also who has verified an address before has not said what else they know. */
  #hasNot(provider: GuardedProvider): void {
    this.#asked.delete(provider.name);
    this.#hindered.push(provider);
  }

  /** As if nobody who has not answered by now could be asked. */
  soFar(): LookedUp {
    // Also who would have verified the sent address, though by now another one is looked for.
    const subjects = [this.#subject, extended(this.#input, this.#merged, this.#verdicts)];
    const namesOf = (list: readonly GuardedProvider[]) =>
      list.filter((provider) => subjects.some((subject) => this.#canAdd(provider, subject))).map(({ name }) => name);
    const silent = this.#underWay === null ? [] : [this.#underWay];
    const verdicts = this.#before.replacedBy(this.#verdicts);
    return {
      merged: this.#decided(verdicts),
      asked: [...this.#asked],
      hindered: namesOf([...this.#hindered, ...silent, ...this.#waiting]),
      paused: namesOf(this.#paused),
      spent: namesOf(this.#spent),
      verdicts,
      given: [...this.#given],
      isFromStore: this.#isFromStore,
    };
  }

  #canAdd(provider: GuardedProvider, subject: Subject): boolean {
    const isInPart = this.#askedInPart.has(provider) && provider.asksInPart(subject, this.#who.wanted);
    return !isInPart && this.#isUndecided(provider, subject) && this.#isWorthAsking(provider, subject);
  }

  #isWorthAsking(provider: GuardedProvider, subject: Subject): boolean {
    return isWorthAsking(this.#merged, this.#who.wanted, provider.brings(subject));
  }

  /** Whether it has more to say than what it, or somebody, has said of the address that it would verify. */
  #isUndecided(provider: GuardedProvider, subject: Subject): boolean {
    const doubted = provider.verifies(subject);
    if (doubted === null) return true;
    return (
      !this.#verified.has(provider) &&
      !this.#verdicts.isRefuted(doubted) &&
      !this.#verdicts.isBy(provider.name, doubted)
    );
  }

  /**
   * What is known by now. A sent address that was refuted before is asked about like every other; once nobody is left who
   * would verify it, another one is looked for.
   */
  #known(): Subject {
    const known = extended(this.#input, this.#merged, this.#verdicts);
    if (!this.#isSentOneDoubted()) return known;
    const { email } = this.#input;
    const willBeAsked = [...this.#waiting].some(
      (provider) => provider.verifies(known) === email && this.#canAdd(provider, known),
    );
    return willBeAsked ? known : extended(this.#input, this.#merged, this.#before.replacedBy(this.#verdicts));
  }

  #isSentOneDoubted(): boolean {
    const { email } = this.#input;
    return email !== null && this.#verdicts.of(email) === null && this.#before.isRefuted(email);
  }

  /** What is known must not hold what was refuted meanwhile, and what was verified is not verified again. */
  async #recallKnown(): Promise<void> {
    const { email } = this.#input;
    const found = emailsIn(this.#merged);
    await this.#learn(email === null ? found : [...found, email]);
    this.#merged = withoutRefuted(this.#merged, this.#before.replacedBy(this.#verdicts));
    const verdict = email === null || this.#merged.email !== undefined ? null : this.#verdicts.of(email);
    if (verdict !== null) this.#merged = this.#withVerdict(verdict, this.#verdicts);
  }

  async #add(provider: string, found: FoundOutcome, at: number): Promise<void> {
    this.#isFromStore = false;
    if (found.hasLeft === true) this.#input = withFormerEmail(this.#input);
    const findings = cleanedFindings(found.findings);
    const fresh = await this.#learn(findings.flatMap(emailsOf));
    for (const verdict of verdictsIn(findings, provider, at)) {
      this.#verdicts.add(verdict);
      this.#given.push(verdict);
    }
    // In the place of a sent address that was refuted before, any other is welcome.
    const input = this.#isSentOneDoubted() ? { ...this.#input, email: null } : this.#input;
    const held = findings.map((finding) => this.#heldBack(finding));
    this.#merged = merge(this.#merged, provider, held, input, at, this.#verdicts);
    for (const verdict of fresh) this.#merged = this.#withVerdict(verdict, this.#verdicts);
  }

  /** An address with a verdict of before, no surer than that says, so that it is asked about. */
  #heldBack(finding: Finding): Finding {
    const { field, value, confidence, verifies = false } = finding;
    if (verifies || field !== "email" || typeof value !== "string") return finding;
    const before = this.#verdicts.of(value) === null ? this.#before.of(value) : null;
    if (before === null) return finding;
    return { ...finding, confidence: Math.min(confidence, Math.max(before.confidence, leastSure)) };
  }

  /** Answers verdicts that count on addresses that come up for the first time. */
  async #learn(emails: readonly string[]): Promise<readonly Verdict[]> {
    const unheard = [...new Set(emails)].filter((email) => !this.#recalled.has(email));
    if (unheard.length === 0) return [];
    for (const email of unheard) this.#recalled.add(email);
    const { before, now } = await this.#recall(unheard);
    for (const verdict of before) this.#before.add(verdict);
    for (const verdict of now) this.#verdicts.add(verdict);
    return now;
  }

  /** What is known, with what verdicts of before say of addresses that nobody was asked about anew. */
  #decided(verdicts: Verdicts): Merged {
    const { email: sent } = this.#input;
    const found = this.#merged.email?.value;
    const email = typeof found === "string" ? found : sent;
    const before = email === null || this.#verdicts.of(email) !== null ? null : this.#before.of(email);
    const merged = before === null ? this.#merged : this.#withVerdict(before, verdicts);
    return withoutRefuted(merged, verdicts);
  }

  #withVerdict({ email, provider, confidence, at }: Verdict, verdicts: Verdicts): Merged {
    if (this.#merged.email === undefined && this.#input.email !== email) return this.#merged;
    const finding: Finding = { field: "email", value: email, confidence, verifies: true };
    return merge(this.#merged, provider, [finding], this.#input, at, verdicts);
  }
}

/** Of an address that was refuted before: it is there to be asked about, and every other one is surer. */
const leastSure = 0.01;

/** The company that the address is at is not where the person is to be looked for. */
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

const outOfTime: GuardedOutcome = { kind: "failed", reason: "The time was over" };
