import type { Clock } from "../base/clock.ts";
import { diskFaultOf, type DiskFault } from "../base/disk-fault.ts";
import type { Log } from "../base/log.ts";

/** A check performs a durable write and can be requested without a key, so its result is cached for this long. */
const resultCacheMs = 1_000;

/** An almost full disk can accept the one page that a check writes, but reject the writes of requests. */
const faultCacheMs = 5_000;

/** Whether requests can be served and jobs can run. Logs changes. */
export class Readiness {
  /** Damage to the data, which persists until the server starts with intact data; null if none was found. */
  #damage: DiskFault | null = null;
  readonly #check: () => Promise<string | null>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onDamage: (damage: DiskFault) => void;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #faultedAt = Number.NEGATIVE_INFINITY;
  #fault: DiskFault | null = null;
  #latest: Promise<string | null> = Promise.resolve(null);
  #lastProblem: string | null = null;

  /** `check` returns or throws the problem. */
  constructor(
    check: () => Promise<string | null>,
    clock: Clock,
    log: Log,
    onDamage: (damage: DiskFault) => void = () => {},
  ) {
    this.#check = check;
    this.#clock = clock;
    this.#log = log;
    this.#onDamage = onDamage;
  }

  /** Reports an error of a request or a job, in case it is a disk fault. */
  reportError(error: unknown): void {
    const fault = diskFaultOf(error);
    if (fault === null || this.#damage !== null) return;
    if (fault.kind === "damaged") {
      this.#damage = fault;
      this.#onDamage(fault);
      this.#log.fatal({ err: error }, `${fault.words}; writes are rejected until then`);
    }
    this.#fault = fault;
    this.#faultedAt = this.#clock.now();
    this.#checkedAt = Number.NEGATIVE_INFINITY;
  }

  /** The problem in lower case, for use after a colon; null if there is none. Never rejects. */
  problem(): Promise<string | null> {
    if (this.#isWithin(resultCacheMs, this.#checkedAt)) return this.#latest;
    this.#checkedAt = this.#clock.now();
    this.#latest = this.#runCheck();
    return this.#latest;
  }

  /** False for a time in the future, which means that the clock was set back. */
  #isWithin(ms: number, at: number): boolean {
    const age = this.#clock.now() - at;
    return age >= 0 && age < ms;
  }

  async #runCheck(): Promise<string | null> {
    let cause: unknown;
    let problem = await this.#check().then(
      (reported) => {
        // A reported problem was cheap to find and may be over soon, such as while the server starts, so it is not cached.
        if (reported !== null) this.#checkedAt = Number.NEGATIVE_INFINITY;
        return reported;
      },
      (error: unknown) => {
        cause = error;
        return diskFaultOf(error)?.words ?? "the database is not working";
      },
    );
    if (cause !== undefined && diskFaultOf(cause)?.kind === "damaged") this.reportError(cause);
    if (this.#damage !== null) problem = this.#damage.words;
    else if (this.#fault !== null && this.#isWithin(faultCacheMs, this.#faultedAt)) problem ??= this.#fault.words;
    if (problem !== null && problem !== this.#lastProblem) this.#log.error({ problem, err: cause }, "not ready");
    if (problem === null && this.#lastProblem !== null) this.#log.info("ready again");
    this.#lastProblem = problem;
    return problem;
  }
}
