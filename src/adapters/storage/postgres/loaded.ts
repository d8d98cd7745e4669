/**
 * Answers of the store that were loaded before a decision. A question without a loaded answer gets a provisional one and
 * is noted: `decideLoaded` loads what was noted and decides again. Most decisions ask what was foreseen, and run once.
 */
export class Loaded<Question, Answer> {
  readonly #nameOf: (question: Question) => string | number;
  readonly #fetch: (questions: readonly Question[]) => Promise<ReadonlyMap<string | number, Answer>>;
  readonly #provisional: Answer;
  readonly #answers = new Map<string | number, Answer>();
  readonly #missing = new Map<string | number, Question>();

  /** `fetch` returns answers by the names of questions; missing ones get the provisional answer. */
  constructor(
    provisional: Answer,
    nameOf: (question: Question) => string | number,
    fetch: (questions: readonly Question[]) => Promise<ReadonlyMap<string | number, Answer>>,
  ) {
    this.#provisional = provisional;
    this.#nameOf = nameOf;
    this.#fetch = fetch;
  }

  get(question: Question): Answer {
    const name = this.#nameOf(question);
    const answer = this.#answers.get(name);
    if (answer !== undefined) return answer;
    this.#missing.set(name, question);
    return this.#provisional;
  }

  /** Notes a question that the decision will ask, or asks it again. */
  want(question: Question): void {
    const name = this.#nameOf(question);
    this.#answers.delete(name);
    this.#missing.set(name, question);
  }

  /** False if nothing was noted. */
  async load(): Promise<boolean> {
    if (this.#missing.size === 0) return false;
    const questions = [...this.#missing];
    this.#missing.clear();
    const answers = await this.#fetch(questions.map(([, question]) => question));
    for (const [name] of questions) this.#answers.set(name, answers.get(name) ?? this.#provisional);
    return true;
  }
}

/** Decides until the decision has asked nothing that was not loaded. `load`: false if nothing was missing. */
export async function decideLoaded<T>(decide: () => T, load: () => Promise<boolean>): Promise<T> {
  await load();
  for (;;) {
    const decision = attempt(decide);
    // Decided with provisional answers, which may even have made it throw.
    if (await load()) continue;
    if ("error" in decision) throw decision.error;
    return decision.value;
  }
}

function attempt<T>(decide: () => T): { value: T } | { error: unknown } {
  try {
    return { value: decide() };
  } catch (error) {
    return { error };
  }
}
