import type { Connection, Engine } from "./engine.ts";
import { codeOf, sqlStates } from "./error-codes.ts";

/** Another transaction has changed what the decision was based on. */
export class Outdated extends Error {}

/** Far more than ever follow each other by chance. */
const maxTries = 20;

/**
 * A transaction that starts again, with a new decision, if another one has changed a row that it decided about, or waits
 * for it just as it waits for the other one.
 */
export async function transactAnew<T>({ transact }: Engine, work: (connection: Connection) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(work);
    } catch (error) {
      const isWorthAnother = error instanceof Outdated || codeOf(error) === sqlStates.deadlock;
      if (!isWorthAnother || attempt === maxTries) throw error;
    }
  }
}
