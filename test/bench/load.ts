import { type Socket } from "bun";
import { person } from "./people.ts";

/**
 * The load generator: a process of its own that speaks HTTP/1.1 over raw sockets which it keeps open. Each connection
 * has one request in flight (no pipelining), so that `connections` is the number of clients that wait for an answer.
 */
export type LoadSpec = {
  port: number;
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  /** A header that is another UUID in every request. */
  serialHeader?: string;
  /** `lead`: a JSON lead, another person in every request; `action`: a visit of that person's profile. */
  body?: "lead" | "action";
  /** JSON bodies that are sent in turn, in the place of `body`. */
  bodies?: readonly string[];
  /** Which people to send, and from which one on. */
  seed?: number;
  firstSerial?: number;
  connections: number;
  /** Answers in this time are not counted: the server's hot code gets compiled first. */
  warmUpMs: number;
  durationMs: number;
  /** Stops after this many requests, even when the time is not over. */
  count?: number;
  /** Each connection waits so long between an answer and its next request. */
  pauseMs?: number;
  /** Answer the serials of the requests that got a 2xx, to look for them afterwards. */
  listsAcknowledged?: boolean;
};

export type LoadResult = {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Answers whose status is not 2xx, by status, warm-up included. */
  refused: Record<string, number>;
  /** Connections that ended before the last answer on them was complete. */
  broken: number;
  /** Share of one core that this process used: near 1 the server may have been able to do more. */
  generatorCpu: number;
  acknowledged: number[];
};

/**
 * Runs the load in a new process and answers what it saw; it ends when `until` does, if that comes before its time.
 * Rejects when an answer was not 2xx, and when a connection broke, unless that is what the case is about.
 */
export async function load(
  spec: LoadSpec,
  { serverDies = false, until }: { serverDies?: boolean; until?: Promise<unknown> } = {},
): Promise<LoadResult> {
  const child = Bun.spawn([process.execPath, import.meta.path, JSON.stringify(spec)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const end = (): void => void child.stdin.end();
  void until?.then(end, end);
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`The load generator failed with exit code ${child.exitCode}`);
  const result = JSON.parse(output) as LoadResult;
  const refused = Object.entries(result.refused).map(([status, times]) => `${times} × ${status}`);
  if (refused.length > 0) throw new Error(`${spec.method} ${spec.path}: expected only 2xx, got ${refused.join(", ")}`);
  if (!serverDies) {
    if (result.broken > 0) throw new Error(`${spec.method} ${spec.path}: ${result.broken} connections broke`);
    if (result.requests === 0) throw new Error(`${spec.method} ${spec.path}: no request was answered in time`);
  }
  return result;
}

function visit(serial: number): string {
  return JSON.stringify({ actionType: "visitProfile", profileUrl: `https://network.example/in/person-${serial}` });
}

const headEnd = Buffer.from("\r\n\r\n");

/** Tallies what all connections see. */
class Tally {
  readonly latencies: number[] = [];
  readonly refused: Record<string, number> = {};
  readonly acknowledged: number[] = [];
  broken = 0;
  firstAnswerAt = 0;
  lastAnswerAt = 0;
  issued = 0;

  readonly #spec: LoadSpec;
  readonly #countsFrom: number;
  #endsAt: number;

  constructor(spec: LoadSpec, startedAt: number) {
    this.#spec = spec;
    this.#countsFrom = startedAt + spec.warmUpMs;
    this.#endsAt = this.#countsFrom + spec.durationMs;
    this.firstAnswerAt = this.#countsFrom;
  }

  /** No more requests; what is under way is not counted. */
  end(): void {
    this.#endsAt = Math.min(this.#endsAt, performance.now());
  }

  /** The serial of the next request, or null when the time or the count is used up. */
  next(now: number): number | null {
    if (now >= this.#endsAt || this.issued >= (this.#spec.count ?? Number.POSITIVE_INFINITY)) return null;
    return (this.#spec.firstSerial ?? 0) + this.issued++;
  }

  answered(serial: number, status: number, sentAt: number, now: number): void {
    if (status < 200 || status > 299) this.refused[status] = (this.refused[status] ?? 0) + 1;
    else if (this.#spec.listsAcknowledged) this.acknowledged.push(serial);
    if (now < this.#countsFrom || now > this.#endsAt) return;
    this.latencies.push(now - sentAt);
    this.lastAnswerAt = now;
  }

  result(generatorCpu: number): LoadResult {
    const sorted = Float64Array.from(this.latencies).sort();
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    const seconds = (this.lastAnswerAt - this.firstAnswerAt) / 1000;
    return {
      requests: sorted.length,
      perSecond: seconds > 0 ? sorted.length / seconds : 0,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      maxMs: at(1),
      refused: this.refused,
      broken: this.broken,
      generatorCpu,
      acknowledged: this.acknowledged,
    };
  }
}

/** One client: sends, waits for the whole answer, sends the next. `done` resolves when it has nothing more to do. */
class Connection {
  readonly done: Promise<void>;
  readonly #spec: LoadSpec;
  readonly #tally: Tally;
  readonly #head: string;
  #finish: () => void = () => {};
  #socket: Socket | undefined;
  #unsent: Uint8Array = new Uint8Array(0);
  #received: Buffer = Buffer.alloc(0);
  /** Bytes of the body that are still to come; null while the head is. */
  #missing: number | null = null;
  #status = 0;
  #serial: number | null = null;
  #sentAt = 0;

  constructor(spec: LoadSpec, tally: Tally) {
    this.#spec = spec;
    this.#tally = tally;
    const headers = Object.entries({ host: `127.0.0.1:${spec.port}`, ...spec.headers });
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    this.#head = `${spec.method} ${spec.path} HTTP/1.1\r\n${lines}`;
    this.done = new Promise((resolve) => (this.#finish = resolve));
  }

  async open(): Promise<void> {
    await Bun.connect({
      hostname: "127.0.0.1",
      port: this.#spec.port,
      socket: {
        open: (socket) => {
          this.#socket = socket;
          socket.setNoDelay(true);
          this.#send();
        },
        data: (_, chunk) => this.#receive(chunk),
        drain: () => this.#flush(),
        close: () => this.#lost(),
        error: () => this.#lost(),
      },
    });
  }

  #send(): void {
    const now = performance.now();
    this.#serial = this.#tally.next(now);
    if (this.#serial === null) return this.#close();
    this.#sentAt = now;
    const { serialHeader } = this.#spec;
    const serial = serialHeader === undefined ? "" : `${serialHeader}: ${crypto.randomUUID()}\r\n`;
    this.#unsent = Buffer.from(this.#head + serial + this.#rest(this.#serial));
    this.#flush();
  }

  #rest(serial: number): string {
    const { body: kind, bodies, seed = 1 } = this.#spec;
    if (kind === undefined && bodies === undefined) return "\r\n";
    const made = kind === "action" ? visit(serial) : JSON.stringify(person(seed, serial));
    const body = bodies?.[serial % bodies.length] ?? made;
    return `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  }

  #flush(): void {
    if (this.#unsent.length === 0) return;
    const sent = this.#socket?.write(this.#unsent) ?? 0;
    this.#unsent = this.#unsent.subarray(Math.max(sent, 0));
  }

  #receive(chunk: Buffer): void {
    if (this.#missing === null) {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      const end = this.#received.indexOf(headEnd);
      if (end < 0) {
        this.#received = Buffer.from(this.#received); // outlives this call, so it must be ours
        return;
      }
      const head = this.#received.toString("latin1", 0, end);
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      if (length === undefined) throw new Error(`Expected an answer with a Content-Length, got:\n${head}`);
      this.#status = Number(head.slice(9, 12));
      this.#missing = Number(length) - (this.#received.length - end - headEnd.length);
      this.#received = Buffer.alloc(0);
    } else {
      this.#missing -= chunk.length;
    }
    if (this.#missing > 0) return;
    if (this.#missing < 0) throw new Error("Got more bytes than Content-Length announced");
    this.#missing = null;
    if (this.#serial !== null) this.#tally.answered(this.#serial, this.#status, this.#sentAt, performance.now());
    this.#serial = null;
    if (this.#spec.pauseMs) setTimeout(() => this.#send(), this.#spec.pauseMs);
    else this.#send();
  }

  #lost(): void {
    if (this.#serial !== null) this.#tally.broken += 1;
    this.#serial = null;
    this.#finish();
  }

  #close(): void {
    this.#socket?.end();
    this.#finish();
  }
}

async function run(spec: LoadSpec): Promise<LoadResult> {
  const cpuAtStart = process.cpuUsage();
  const startedAt = performance.now();
  const tally = new Tally(spec, startedAt);
  // The one who started it says when to end, and when that one dies, the load does too.
  process.stdin.on("end", () => tally.end()).resume();
  const connections = Array.from({ length: spec.connections }, () => new Connection(spec, tally));
  await Promise.all(connections.map((connection) => connection.open()));
  // A request that hangs must not hang the measurement: after the end the answers under way get 10 s.
  const timeLimit = Bun.sleep(spec.warmUpMs + spec.durationMs + 10_000).then(() => "late" as const);
  const ending = await Promise.race([Promise.all(connections.map((connection) => connection.done)), timeLimit]);
  if (ending === "late") throw new Error("Some requests got no answer in 10 s");
  const cpu = process.cpuUsage(cpuAtStart);
  return tally.result((cpu.user + cpu.system) / 1000 / (performance.now() - startedAt));
}

if (import.meta.main) {
  const result = await run(JSON.parse(process.argv[2] ?? "") as LoadSpec);
  await Bun.write(Bun.stdout, JSON.stringify(result));
  process.exit(0);
}
