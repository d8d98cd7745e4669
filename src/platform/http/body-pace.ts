import { ApiError } from "../base/errors.ts";

/**
 * How long a body may take to arrive: a minute, plus a second for each 16 KiB. The slowest mobile connection uploads a
 * 50 MB recording in that time; a client that trickles bytes to occupy a connection does not.
 */
const graceMs = 60_000;
const bytesPerSecond = 16 * 1024;
const checkIntervalMs = 1000;

/** Passes on the chunks of a body. Throws REQUEST_TIMEOUT once they arrive more slowly than allowed. */
export async function* paced(
  body: AsyncIterable<Uint8Array>,
  now: () => number = performance.now.bind(performance),
): AsyncGenerator<Uint8Array, void, void> {
  const startedAt = now();
  // Time spent by the consumer does not count.
  let consuming = 0;
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    const receivedAt = now();
    if (receivedAt - startedAt - consuming > longestMs(bytes)) throw tooSlow();
    yield chunk;
    consuming += now() - receivedAt;
  }
}

type Waiting = { until: number; reject: (reason: ApiError) => void };

/**
 * Limits the time of bodies that are read in one piece, which become visible only once they are complete. All of them share
 * one timer.
 */
export class WholeBodies {
  readonly #waiting = new Set<Waiting>();
  readonly #now: () => number;
  readonly #intervalMs: number;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(now: () => number = performance.now.bind(performance), intervalMs = checkIntervalMs) {
    this.#now = now;
    this.#intervalMs = intervalMs;
  }

  /** Resolves like `arriving`, or rejects with REQUEST_TIMEOUT if that takes too long. `bytes`: the announced length. */
  within<T>(arriving: Promise<T>, bytes: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiting: Waiting = { until: this.#now() + longestMs(bytes), reject };
      const settleWith =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          this.#waiting.delete(waiting);
          settle(value);
        };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(() => this.#check(), this.#intervalMs).unref();
      arriving.then(settleWith(resolve), settleWith(reject));
    });
  }

  #check(): void {
    for (const waiting of this.#waiting) if (waiting.until < this.#now()) waiting.reject(tooSlow());
    // Stopped only here: restarting the timer for each body costs more than one unnecessary check.
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

function longestMs(bytes: number): number {
  return graceMs + (bytes / bytesPerSecond) * 1000;
}

function tooSlow(): ApiError {
  return new ApiError("REQUEST_TIMEOUT", { headers: { connection: "close" } });
}
