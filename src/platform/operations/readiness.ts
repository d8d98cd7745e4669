import type { Clock } from "../base/clock.ts";
import { diskFaultOf, type DiskFault } from "../base/disk-fault.ts";
import type { Log } from "../base/log.ts";

/** A check performs a durable write and can be requested without a key, so its result is cached for this long. */
const resultCacheMs = 1_000;

/** An almost full disk can accept the one page that a check writes, but reject the writes of requests. */
const faultCacheMs = 5_000;

/**
 * Faults that a check finds as long as they last. To remember one would keep all nodes out of service for seconds after
 * PostgreSQL was restarted.
 */
const faultsOfChecks: readonly DiskFault["kind"][] = [
  "databaseUnreachable",
  ...(["bucketMissing", "bucketElsewhere", "bucketRefused", "bucketUnreachable"] as const),
];

/** Longer than a check takes on a busy machine, and shorter than the patience of most load balancers and of operators. */
const timeoutMs = 2_000;

/** Something without which requests cannot be served. */
export type ReadinessCheck = {
  /** For clients and logs: node, clock, database, or files. */
  name: string;
  /** Returns the problem in lower case or throws it; null if all is well. */
  run: () => Promise<string | null>;
};

/** A check that failed, and the problem in lower case. */
export type FailedCheck = { check: string; reason: string };

export type ReadinessParts = {
  /** Why this process serves no requests at the moment; null if it does. Nothing else is checked meanwhile. */
  checkRunning: () => string | null;
  checks: readonly ReadinessCheck[];
  clock: Clock;
  log: Log;
  onDamage?: (damage: DiskFault) => void;
};

/** Whether requests can be served and jobs can run. Logs changes. */
export class Readiness {
  /** Damage to the data, which persists until the server starts with intact data; null if none was found. */
  #damage: DiskFault | null = null;
  readonly #parts: ReadinessParts;
  readonly #clock: Clock;
  readonly #log: Log;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #faultedAt = Number.NEGATIVE_INFINITY;
  #fault: DiskFault | null = null;
  #latest: Promise<FailedCheck[]> = Promise.resolve([]);
  #lastProblem: string | null = null;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  /** Reports an error of a request or a job, in case it is a disk fault. */
  reportError(error: unknown): void {
    const fault = diskFaultOf(error);
    if (fault === null || this.#damage !== null) return;
    if (fault.kind === "damaged") {
      this.#damage = fault;
      this.#parts.onDamage?.(fault);
      this.#log.fatal({ err: error }, `${fault.words}; writes are rejected until then`);
    }
    if (!faultsOfChecks.includes(fault.kind)) {
      this.#fault = fault;
      this.#faultedAt = this.#clock.now();
    }
    this.#checkedAt = Number.NEGATIVE_INFINITY;
  }

  /** The problems in lower case, for use after a colon; null if there are none. Never rejects. */
  async problem(): Promise<string | null> {
    return textOf(await this.failures());
  }

  /** The checks that failed; empty if requests can be served. Never rejects. */
  failures(): Promise<FailedCheck[]> {
    if (this.#isWithin(resultCacheMs, this.#checkedAt)) return this.#latest;
    this.#checkedAt = this.#clock.now();
    this.#latest = this.#runChecks();
    return this.#latest;
  }

  /** False for a time in the future, which means that the clock was set back. */
  #isWithin(ms: number, at: number): boolean {
    const age = this.#clock.now() - at;
    return age >= 0 && age < ms;
  }

  async #runChecks(): Promise<FailedCheck[]> {
    const { checkRunning, checks } = this.#parts;
    const stopped = checkRunning();
    const outcomes = stopped === null ? await Promise.all(checks.map(outcomeOf)) : [];
    const causes = outcomes.flatMap(({ cause }) => (cause === undefined ? [] : [cause]));
    const failures = outcomes.flatMap(({ check, reason }) => (reason === null ? [] : [{ check, reason }]));
    for (const cause of causes) if (diskFaultOf(cause)?.kind === "damaged") this.reportError(cause);
    // It was cheap to find and may be over soon, such as while the server starts, so it is not cached.
    if (stopped !== null) this.#checkedAt = Number.NEGATIVE_INFINITY;
    const all = this.#withFault(stopped === null ? failures : [{ check: "node", reason: stopped }]);
    this.#logChange(textOf(all), causes[0], stopped === null ? "error" : "info");
    return all;
  }

  /** Includes what requests and jobs have met. */
  #withFault(failures: FailedCheck[]): FailedCheck[] {
    if (this.#damage !== null) return [{ check: "database", reason: this.#damage.words }];
    const isRecent = this.#fault !== null && this.#isWithin(faultCacheMs, this.#faultedAt);
    return isRecent && failures.length === 0 ? [{ check: "requests", reason: this.#fault!.words }] : failures;
  }

  /** `level`: to start and to stop is no error, which would alert operators of each update. */
  #logChange(problem: string | null, cause: unknown, level: "error" | "info"): void {
    if (problem !== null && problem !== this.#lastProblem) this.#log[level]({ problem, err: cause }, "not ready");
    if (problem === null && this.#lastProblem !== null) this.#log.info("ready again");
    this.#lastProblem = problem;
  }
}

function textOf(failures: readonly FailedCheck[]): string | null {
  return failures.length === 0 ? null : failures.map(({ reason }) => reason).join("; ");
}

type Outcome = { check: string; reason: string | null; cause?: unknown };

/** A connection that neither works nor ends is a problem too, so no check may take forever. */
async function outcomeOf({ name: check, run }: ReadinessCheck): Promise<Outcome> {
  const { promise: timeout, resolve } = Promise.withResolvers<Outcome>();
  const reason = `${check}: no response within ${timeoutMs / 1000} seconds`;
  const timer = setTimeout(() => resolve({ check, reason }), timeoutMs);
  const outcome = run().then(
    (reason): Outcome => ({ check, reason }),
    (cause: unknown): Outcome => ({
      check,
      reason: diskFaultOf(cause)?.words ?? `${check}: the check failed; the log says why`,
      cause,
    }),
  );
  try {
    return await Promise.race([outcome, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
