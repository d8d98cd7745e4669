import type { Gauge } from "./prom-client.ts";

export type GaugeConfiguration = {
  name: string;
  help: string;
  labelNames: readonly string[];
  collect: (this: Gauge) => Promise<void>;
};

/** As long as the readiness check waits. */
const probeTimeoutMs = 2_000;

/** Gauges that are read from the database. While it does not respond, they are left out, and the rest of a scrape is not. */
export class DatabaseReadings {
  readonly #ask: () => Promise<unknown>;
  readonly #readTimeoutMs: number;
  #isUp = true;

  /** `ask`: a cheap statement. */
  constructor(ask: () => Promise<unknown>, readTimeoutMs: number) {
    this.#ask = ask;
    this.#readTimeoutMs = readTimeoutMs;
  }

  /** Whether the database responded to the latest probe. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Asks the database. Never rejects. */
  async probe(): Promise<void> {
    this.#isUp = await inTime(this.#ask(), probeTimeoutMs);
  }

  /** Reads, unless the database is down. Resolves after the time limit at the latest; never rejects. */
  async inTime(read: () => Promise<void>): Promise<void> {
    await this.#isInTime(read);
  }

  async #isInTime(read: () => Promise<void>): Promise<boolean> {
    return this.#isUp && (await inTime(read(), this.#readTimeoutMs));
  }

  guard({ collect, ...settings }: GaugeConfiguration): GaugeConfiguration {
    const readInTime = (read: () => Promise<void>) => this.#isInTime(read);
    return {
      ...settings,
      async collect() {
        if (await readInTime(() => collect.call(this))) return;
        // An earlier value would look like a current one.
        if (settings.labelNames.length === 0) this.remove();
        else this.reset();
      },
    };
  }
}

/** False if the promise is rejected or takes too long. */
async function inTime(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), timeoutMs);
  try {
    return await Promise.race([
      promise.then(
        () => true,
        () => false,
      ),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
