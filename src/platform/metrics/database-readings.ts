import type { Gauge } from "./prom-client.ts";

export type GaugeConfiguration = {
  name: string;
  help: string;
  labelNames: readonly string[];
  collect: (this: Gauge) => Promise<void>;
};

/** As long as the readiness check waits. Both together are shorter than the usual time limit of a scrape, which is 10 s. */
const probeTimeoutMs = 2_000;
const readTimeoutMs = 5_000;

/** Gauges that are read from the database. While it does not respond, they are left out, and the rest of a scrape is not. */
export class DatabaseReadings {
  readonly #ask: () => Promise<unknown>;
  #isUp = true;

  /** `ask`: a cheap statement. */
  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask;
  }

  /** Whether the database responded to the latest probe. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Asks the database. Never rejects. */
  async probe(): Promise<void> {
    this.#isUp = await inTime(this.#ask(), probeTimeoutMs);
  }

  guard({ collect, ...settings }: GaugeConfiguration): GaugeConfiguration {
    const isUp = () => this.#isUp;
    return {
      ...settings,
      async collect() {
        if (isUp() && (await inTime(collect.call(this), readTimeoutMs))) return;
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
