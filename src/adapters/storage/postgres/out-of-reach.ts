/**
 * A decision asked for a fact that is not loaded. Decisions are synchronous and change nothing, so one that is stopped
 * this way can start again once the fact is there.
 */
export class OutOfReach extends Error {
  readonly load: () => Promise<void>;

  constructor(load: () => Promise<void>) {
    super("A fact is not loaded");
    this.load = load;
  }
}

/** Runs a decision until it has all its facts. */
export async function withFacts<T>(decision: () => T): Promise<T> {
  for (;;)
    try {
      return decision();
    } catch (error) {
      if (!(error instanceof OutOfReach)) throw error;
      await error.load();
    }
}
