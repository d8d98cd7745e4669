// Decisions are synchronous and PostgreSQL is not, so the facts of a decision are loaded before it runs. A decision that
// needs more notes what is missing and runs again once that is loaded; decisions write nothing, so repeating one is
// safe. Most decisions ask only for facts that were expected, and run once.

/** Facts that a decision asks for, and that are loaded between two runs of it. */
export interface FactSource {
  /** Loads what the last run noted as missing. Returns false if nothing was. */
  load(): Promise<boolean>;
}

/** Stops a decision at a fact that is not loaded. */
export class OutOfReach extends Error {
  constructor() {
    super("A fact is not loaded");
  }
}

type LoadedOptions<Question, Answer> = {
  nameOf: (question: Question) => string | number;
  /** Returns answers by the names of their questions. */
  fetch: (questions: readonly Question[]) => Promise<ReadonlyMap<string | number, Answer>>;
  /**
   * The answer for a fact that is not loaded, and for one that `fetch` does not return. With it, one run notes all that
   * is missing, which suits decisions about many rows. Without it, the decision stops at the first missing fact.
   */
  provisional?: Answer;
};

/** Facts of one kind. */
export class Loaded<Question, Answer> implements FactSource {
  readonly #options: LoadedOptions<Question, Answer>;
  readonly #answers = new Map<string | number, Answer>();
  readonly #missing = new Map<string | number, Question>();

  constructor(options: LoadedOptions<Question, Answer>) {
    this.#options = options;
  }

  get(question: Question): Answer {
    const name = this.#options.nameOf(question);
    if (this.#answers.has(name)) return this.#answers.get(name)!;
    this.#missing.set(name, question);
    return this.#provisional();
  }

  /** Whether the last run asked for something that is not loaded. */
  get isMissing(): boolean {
    return this.#missing.size > 0;
  }

  /** Supplies an answer that is already known. */
  set(question: Question, answer: Answer): void {
    this.#answers.set(this.#options.nameOf(question), answer);
  }

  /** Requests a fact that the decision will ask for, or a fresh answer to it. */
  want(question: Question): void {
    const name = this.#options.nameOf(question);
    this.#answers.delete(name);
    this.#missing.set(name, question);
  }

  async load(): Promise<boolean> {
    if (this.#missing.size === 0) return false;
    const questions = [...this.#missing];
    this.#missing.clear();
    const answers = await this.#options.fetch(questions.map(([, question]) => question));
    for (const [name] of questions)
      this.#answers.set(name, answers.has(name) ? answers.get(name)! : this.#provisional());
    return true;
  }

  #provisional(): Answer {
    if ("provisional" in this.#options) return this.#options.provisional as Answer;
    throw new OutOfReach();
  }
}

/** Facts of many kinds, each with a query of its own. A query locks what the decision depends on. */
export class NamedFacts implements FactSource {
  readonly #facts = new Loaded<NamedFact, unknown>({ nameOf: ({ name }) => name, fetch: loadEach });

  /** `load` runs once for each name. */
  get<T>(name: string, load: () => Promise<T>): T {
    return this.#facts.get({ name, load }) as T;
  }

  /** Supplies a fact that is already known. */
  set(name: string, value: unknown): void {
    this.#facts.set({ name, load: async () => value }, value);
  }

  load(): Promise<boolean> {
    return this.#facts.load();
  }
}

type NamedFact = { name: string; load: () => Promise<unknown> };

async function loadEach(facts: readonly NamedFact[]): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>();
  for (const { name, load } of facts) answers.set(name, await load());
  return answers;
}

/** Loads from each source in turn. Returns false if nothing was missing. */
export async function loadAll(sources: Iterable<FactSource>): Promise<boolean> {
  let any = false;
  for (const source of sources) any = (await source.load()) || any;
  return any;
}

/** Runs a decision until everything that it asked for was loaded. */
export async function decideLoaded<T>(decide: () => T, ...sources: readonly FactSource[]): Promise<T> {
  await loadAll(sources);
  for (;;) {
    const decision = attempt(decide);
    // Even an error counts only once all facts were there: it may come from a missing or a provisional one.
    if (await loadAll(sources)) continue;
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
