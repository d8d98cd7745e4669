import type { LineLog, Log } from "../base/log.ts";
import type { RequestContext } from "./request-context.ts";

/** What the log measures, in the form of prom-client. Labels come from closed lists. */
export type RequestMetrics = {
  requests: { inc(labels: { method: string; route: string; status: number }): void };
  durations: { observe(labels: { method: string; route: string }, seconds: number): void };
  inFlight: { inc(): void; dec(): void };
};

/** Other methods share a label, because clients may send any. */
const measuredMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Requested every few seconds by machines. */
const probePaths = ["/healthz", "/readyz", "/metrics"];

/** No client that is waiting disconnects earlier than this, and asking for the signal of a request has a cost. */
const patienceMs = 500;

/** What nginx logs for a request that breaks off: a 5xx would count as a failure of the server. No client receives it. */
const clientGone = 499;

/** Measures each request and writes its log line. */
export class RequestLog {
  readonly #log: Log;
  readonly #lines: LineLog;
  readonly #metrics: RequestMetrics | null;
  readonly #level: "info" | "debug";
  readonly #writes: { info: boolean; debug: boolean };

  constructor(log: Log, lines: LineLog, level: "info" | "debug", metrics: RequestMetrics | null) {
    this.#log = log;
    this.#lines = lines;
    this.#level = level;
    this.#metrics = metrics;
    this.#writes = { info: lines.writes("info"), debug: lines.writes("debug") };
  }

  /** Returns the time, for `ended`. */
  started(): number {
    this.#metrics?.inFlight.inc();
    return performance.now();
  }

  ended(context: RequestContext, response: Response, startedAt: number): void {
    const ms = performance.now() - startedAt;
    const { request, route, path, failure } = context;
    const isUnexpected = failure !== null && failure.thrown !== failure.error;
    const isGone = (isUnexpected || ms > patienceMs) && request.signal.aborted;
    const status = isUnexpected && isGone ? clientGone : response.status;
    this.#measure(request.method, route, status, ms / 1000);
    const isFault = isUnexpected && !isGone;
    const level = probePaths.includes(path) ? "debug" : this.#level;
    if (!isFault && !this.#writes[level]) return;
    const line = {
      requestId: response.headers.get("x-request-id"),
      method: request.method,
      route,
      path,
      status,
      durationMs: Math.round(ms * 1000) / 1000,
      keyId: context.hasCaller ? context.caller.keyId : null,
      userId: context.hasCaller ? context.caller.userId : null,
      workspaceId: context.hasCaller ? context.caller.workspaceId : null,
      ...(failure && status !== clientGone && { code: failure.error.code }),
    };
    if (isFault) this.#log.error({ ...line, err: failure.thrown }, "request failed");
    else if (isGone) this.#lines.write(level, line, "the client disconnected");
    else this.#lines.write(level, line, failure === null ? "request served" : "request refused");
  }

  #measure(sentMethod: string, template: string | null, status: number, seconds: number): void {
    if (this.#metrics === null) return;
    const { requests, durations, inFlight } = this.#metrics;
    const method = measuredMethods.has(sentMethod) ? sentMethod : "other";
    const route = template ?? "none";
    inFlight.dec();
    requests.inc({ method, route, status });
    durations.observe({ method, route }, seconds);
  }

  /** The body of a response ended early, after its status was sent. */
  streamFailed(context: RequestContext, error: unknown): void {
    const { keyId, userId, workspaceId } = context.caller;
    const { id: requestId, request, route } = context;
    this.#log.error(
      { requestId, method: request.method, route, keyId, userId, workspaceId, err: error },
      "a response ended early",
    );
  }
}
