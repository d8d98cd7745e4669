import type { Clock } from "../clock.ts";
import type { EnrichField } from "./fields.ts";
import type { GuardedOutcome, GuardedProvider } from "./provider-guard.ts";
import type { Finding, Merged, Subject, Verdict } from "./model.ts";
import type { LookUpContext } from "./provider.ts";
import { Verdicts, verdictsIn } from "./verdicts.ts";
import { extended, isWorthAsking, merge, withoutRefuted } from "./waterfall.ts";

/** What is known of a person, and the names of those who have said what they know. */
export type Known = { merged: Merged; asked: readonly string[] };
export const nothingKnown: Known = { merged: {}, asked: [] };

/** What verifiers have said before of these addresses. */
export type Recall = (emails: readonly string[]) => Promise<readonly Verdict[]>;
const recallNothing: Recall = async () => [];

/**
 * `hindered`: who could still add to what is wanted, but could not be asked, or did not answer; `paused` are those of
 * them who were not asked because they pause. `verdicts` are all that count, `given` those that were given now.
 */
export type LookedUp = {
  merged: Merged;
  asked: string[];
  hindered: string[];
  paused: string[];
  verdicts: Verdicts;
  given: Verdict[];
  /** Nobody has found anything now: all of it was known. */
  isFromStore: boolean;
};

export type WhoToAsk = {
  wanted: ReadonlySet<EnrichField>;
  providers: readonly GuardedProvider[];
  context: LookUpContext;
  clock: Clock;
  known?: Known;
  recall?: Recall;
};

/**
 * Asks one provider after the other, in their order, about one person: those who can
 * still add to what is wanted. What one finds may be what another needs, so the order is gone through again after
 * each answer; nobody is asked twice, nor who was asked for what is `known` already, nor to verify an address that is
 * refuted or that the same provider has verified before.
 */
export class LookUp {
  readonly #input: Subject;
  readonly #who: WhoToAsk;
  readonly #recall: Recall;
  readonly #verdicts = new Verdicts();
  readonly #recalled = new Set<string>();
  readonly #given: Verdict[] = [];
  readonly #asked: string[];
  readonly #waiting: Set<GuardedProvider>;
  readonly #hindered: GuardedProvider[] = [];
  readonly #paused: GuardedProvider[] = [];
  #underWay: GuardedProvider | null = null;
  #isFromStore = true;
  #merged: Merged;
  #subject: Subject;

  constructor(input: Subject, who: WhoToAsk) {
    const { providers, known = nothingKnown, recall = recallNothing } = who;
    this.#input = input;
    this.#who = who;
    this.#recall = recall;
    this.#asked = [...known.asked];
    this.#waiting = new Set(providers.filter(({ name }) => !known.asked.includes(name)));
    this.#merged = known.merged;
    this.#subject = extended(input, known.merged);
  }

  async run(): Promise<LookedUp> {
    const { context, clock } = this.#who;
    await this.#recallKnown();
    for (;;) {
      const next = [...this.#waiting].find((provider) => this.#canAdd(provider));
      if (next === undefined) return this.soFar();
      this.#waiting.delete(next);
      this.#underWay = next;
      const subject = this.#subject;
      const outcome = context.signal.aborted ? outOfTime : await next.lookUp(subject, context);
      if (outcome.kind === "found") await this.#add(next.name, outcome.findings, clock.now());
      if (outcome.kind === "found" || outcome.kind === "none") this.#asked.push(next.name);
      else this.#hindered.push(next);
      if (outcome.kind === "paused" || (outcome.kind === "skipped" && next.canPayFor(subject))) this.#paused.push(next);
      this.#underWay = null;
    }
  }

  /** As if nobody who has not answered by now could be asked. */
  soFar(): LookedUp {
    const namesOf = (list: readonly GuardedProvider[]) =>
      list.filter((provider) => this.#canAdd(provider)).map(({ name }) => name);
    const silent = this.#underWay === null ? [] : [this.#underWay];
    return {
      merged: this.#merged,
      asked: [...this.#asked],
      hindered: namesOf([...this.#hindered, ...silent, ...this.#waiting]),
      paused: namesOf(this.#paused),
      verdicts: this.#verdicts,
      given: [...this.#given],
      isFromStore: this.#isFromStore,
    };
  }

  #canAdd(provider: GuardedProvider): boolean {
    const doubted = provider.verifies(this.#subject);
    const isDecided =
      doubted !== null && (this.#verdicts.isRefuted(doubted) || this.#verdicts.isBy(provider.name, doubted));
    return !isDecided && isWorthAsking(this.#merged, this.#who.wanted, provider.brings(this.#subject));
  }

  /** What is known must not hold what was refuted meanwhile, and what was verified is not verified again. */
  async #recallKnown(): Promise<void> {
    const { email } = this.#input;
    const found = emailsIn(this.#merged);
    await this.#learn(email === null ? found : [...found, email]);
    this.#merged = withoutRefuted(this.#merged, this.#verdicts);
    const verdict = email === null || this.#merged.email !== undefined ? null : this.#verdicts.of(email);
    if (verdict !== null) this.#apply(verdict);
    this.#subject = extended(this.#input, this.#merged, this.#verdicts);
  }

  async #add(provider: string, findings: readonly Finding[], at: number): Promise<void> {
    this.#isFromStore = false;
    const fresh = await this.#learn(findings.flatMap(emailsOf));
    for (const verdict of verdictsIn(findings, provider, at)) {
      this.#verdicts.add(verdict);
      this.#given.push(verdict);
    }
    this.#merged = merge(this.#merged, provider, findings, this.#input, at, this.#verdicts);
    for (const verdict of fresh) this.#apply(verdict);
    this.#subject = extended(this.#input, this.#merged, this.#verdicts);
  }

  /** Answers verdicts of before on addresses that come up for the first time. */
  async #learn(emails: readonly string[]): Promise<readonly Verdict[]> {
    const unheard = [...new Set(emails)].filter((email) => !this.#recalled.has(email));
    if (unheard.length === 0) return [];
    for (const email of unheard) this.#recalled.add(email);
    const verdicts = await this.#recall(unheard);
    for (const verdict of verdicts) this.#verdicts.add(verdict);
    return verdicts;
  }

  #apply({ email, provider, confidence, at }: Verdict): void {
    if (this.#merged.email === undefined && this.#input.email !== email) return;
    const finding: Finding = { field: "email", value: email, confidence, verifies: true };
    this.#merged = merge(this.#merged, provider, [finding], this.#input, at, this.#verdicts);
  }
}

function emailsOf({ field, value }: Pick<Finding, "field" | "value">): string[] {
  return field === "email" || field === "alternativeEmails" ? [value].flat().map((email) => email.trim()) : [];
}

function emailsIn({ email, alternativeEmails }: Merged): string[] {
  const said = [email, alternativeEmails].filter((each) => each !== undefined);
  return said.flatMap(({ value }) => [value].flat());
}

const outOfTime: GuardedOutcome = { kind: "failed", reason: "The time was over" };
