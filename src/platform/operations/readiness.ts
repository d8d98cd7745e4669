import type { Clock } from "../base/clock.ts";
import { diskFaultOf, type DiskFault } from "../base/disk-fault.ts";
import type { Log } from "../base/log.ts";

/** A look costs a durable write, which strangers may ask for: all who ask within this time get the same answer. */
const answerHoldsMs = 1_000;

/** A disk that is all but full takes the one page that a look writes, and refuses what requests write. */
const faultHoldsMs = 5_000;

/** Whether requests can be served and jobs run. Tells the log when that changes. */
export class Readiness {
  readonly #check: () => Promise<string | null>;
  readonly #clock: Clock;
  readonly #log: Log;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #faultedAt = Number.NEGATIVE_INFINITY;
  #fault: DiskFault | null = null;
  #latest: Promise<string | null> = Promise.resolve(null);
  #lastProblem: string | null = null;

  /** `check` answers, or throws, what is wrong. */
  constructor(check: () => Promise<string | null>, clock: Clock, log: Log) {
    this.#check = check;
    this.#clock = clock;
    this.#log = log;
  }

  /** A request failed for this. */
  tell(error: unknown): void {
    const fault = diskFaultOf(error);
    if (fault === null || this.damage !== null) return;
    if (fault.kind === "damaged") this.#log.fatal({ err: error }, `${fault.words}; no more writes until then`);
    this.#fault = fault;
    this.#faultedAt = this.#clock.now();
    this.#lookedAt = Number.NEGATIVE_INFINITY;
  }

  /** Damage to the data, which lasts until a start on data that is sound; null as long as none was met. */
  get damage(): DiskFault | null {
    return this.#fault?.kind === "damaged" ? this.#fault : null;
  }

  /** What is wrong, as half a sentence; null when all is well. Never rejects. */
  problem(): Promise<string | null> {
    if (this.#isWithin(answerHoldsMs, this.#lookedAt)) return this.#latest;
    this.#lookedAt = this.#clock.now();
    this.#latest = this.#look();
    return this.#latest;
  }

  /** Also false for a moment in the future: the clock was set back. */
  #isWithin(ms: number, at: number): boolean {
    const age = this.#clock.now() - at;
    return age >= 0 && age < ms;
  }

  async #look(): Promise<string | null> {
    let cause: unknown;
    let problem = await this.#check().then(
      (told) => {
        // What it only tells cost nothing, and may be over at once: a server that starts is asked again and again.
        if (told !== null) this.#lookedAt = Number.NEGATIVE_INFINITY;
        return told;
      },
      (error: unknown) => {
        cause = error;
        return diskFaultOf(error)?.words ?? "the database does not work";
      },
    );
    if (cause !== undefined && diskFaultOf(cause)?.kind === "damaged") this.tell(cause);
    if (this.damage !== null) problem = this.damage.words;
    else if (this.#fault !== null && this.#isWithin(faultHoldsMs, this.#faultedAt)) problem ??= this.#fault.words;
    if (problem !== null && problem !== this.#lastProblem) this.#log.error({ problem, err: cause }, "not ready");
    if (problem === null && this.#lastProblem !== null) this.#log.info("ready again");
    this.#lastProblem = problem;
    return problem;
  }
}
