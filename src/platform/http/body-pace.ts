import { ApiError } from "../base/errors.ts";

/**
 * How long the body of a request may take: a minute, and a second more for each 16 KiB. The slowest mobile line carries a
 * recording of 50 MB in that time; who sends a byte now and then, to hold a connection and what hangs on it, does not.
 */
const graceMs = 60_000;
const bytesPerSecond = 16 * 1024;

function longestMs(bytes: number): number {
  return graceMs + (bytes / bytesPerSecond) * 1000;
}

/** The chunks of a body as they arrive. Throws REQUEST_TIMEOUT once they come more slowly than is allowed. */
export async function* paced(
  body: AsyncIterable<Uint8Array>,
  now: () => number = performance.now.bind(performance),
): AsyncGenerator<Uint8Array, void, void> {
  const startedAt = now();
  // Time that the reader takes is not the client's.
  let reading = 0;
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    const askedAt = now();
    if (askedAt - startedAt - reading > longestMs(bytes)) throw tooSlow();
    yield chunk;
    reading += now() - askedAt;
  }
}

type Waiting = { until: number; refuse: (reason: ApiError) => void };

/** Bodies that are read in one piece, of which nothing is seen until all is there. */
export class WholeBodies {
  readonly #waiting = new Set<Waiting>();
  readonly #now: () => number;
  readonly #betweenLooksMs: number;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(now: () => number = performance.now.bind(performance), betweenLooksMs = 1000) {
    this.#now = now;
    this.#betweenLooksMs = betweenLooksMs;
  }

  /** What arrives; REQUEST_TIMEOUT when that takes too long. `bytes` is the announced length. */
  within<T>(arriving: Promise<T>, bytes: number): Promise<T> {
    // Mostly the body came with the headers. One timer serves all others.
    if (Bun.peek.status(arriving) !== "pending") return arriving;
    return new Promise<T>((resolve, reject) => {
      const waiting: Waiting = { until: this.#now() + longestMs(bytes), refuse: reject };
      const ended = <V>(settle: (value: V) => void) => {
        return (value: V) => {
          this.#waiting.delete(waiting);
          settle(value);
        };
      };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(() => this.#look(), this.#betweenLooksMs).unref();
      arriving.then(ended(resolve), ended(reject));
    });
  }

  #look(): void {
    for (const waiting of this.#waiting) if (waiting.until < this.#now()) waiting.refuse(tooSlow());
    // Only here: to set a timer anew for each body costs more than to look in vain once.
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

function tooSlow(): ApiError {
  return new ApiError("REQUEST_TIMEOUT", { headers: { connection: "close" } });
}
