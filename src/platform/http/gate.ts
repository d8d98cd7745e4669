import type { Origin } from "../auth/audit/model.ts";
import { userAgentExcerpt } from "../auth/audit/entry.ts";
import type { Clock } from "../base/clock.ts";
import { isoTime } from "../base/clock.ts";
import { diskFaultOf } from "../base/disk-fault.ts";
import { ApiError, invalid } from "../base/errors.ts";
import type { Ids } from "../base/ids.ts";
import type { Caller } from "../auth/caller.ts";
import type { KeyRing } from "../auth/key-ring.ts";
import { keysIn } from "../auth/secret.ts";
import type { LineLog, Log } from "../base/log.ts";
import { withoutKeys } from "../base/secret-text.ts";
import { corsHeaders, preflight } from "./cors.ts";
import { keyIn } from "./credentials.ts";
import { errorBody } from "./error-body.ts";
import { WrongKeyKind } from "./permission.ts";
import { requestCost, unlimitedHeaders, type RateLimiter } from "./rate-limit.ts";
import { requireOwnPage } from "./same-origin.ts";
import { sessionTokenOf } from "./session-cookie.ts";

export type GateParts = {
  keyRing: KeyRing;
  limiter: RateLimiter;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** For the line of each request. */
  requestLog: LineLog;
  requestLevel: "info" | "debug";
  corsOrigins: readonly string[];
  addressOf: (request: Request) => string;
  /** The caller that a signed-in browser acts as. Throws UNAUTHORIZED when the session has ended. */
  callerOfSession: (token: string) => Promise<Caller>;
  publicUrl: string | null;
  /** Where the client of a request reaches the server, without a slash at the end. */
  baseUrlOf: (request: Request) => string;
  /** Hears of every failure that is a fault of ours. */
  onFault: (error: unknown) => void;
  /** Hears of a global key that was used where only a user's own will do. */
  onGlobalRefused: (caller: Caller, path: string) => void;
  /** Hears of API keys that stand in the address of a request. */
  onKeysInAddress: (secrets: readonly string[]) => void;
  /** Every answer says so while it is not `healthy`. */
  statusOf: () => string;
  /** Every answer says so, and what time it is there. */
  isSimulation?: boolean;
  /** The template of the route that takes a request; null when none does. */
  routeOf: (method: string, path: string) => string | null;
  observer: RequestObserver | null;
};

/** Hears of every request. */
export type RequestObserver = {
  requestStarted(): void;
  requestEnded(method: string, route: string | null, status: number, seconds: number): void;
};

type Handle = (request: Request) => Response | Promise<Response>;
/** Why a request was refused; `thrown` is the same error unless it is a fault of ours. */
type Failure = { error: ApiError; thrown: unknown };

type Settings = { headers: Record<string, string | number>; status?: number | string };

const apiPrefix = "/api/v2";
const metricsPath = "/metrics";
const mcpPath = "/mcp";
/** Asked every few seconds by machines. */
const probePaths = ["/healthz", "/readyz", metricsPath];
/** What is behind a key although it is no part of the API. */
const guardedPaths = [metricsPath, mcpPath];

/** What a route says of its answer, which a refusal is not. */
const ofTheAnswer = [
  ...["content-type", "content-length", "content-disposition"],
  ...["etag", "location", "preference-applied", "retry-after"],
];

/** On every answer (OWASP REST security cheat sheet); pages that need more set their own. */
const securityHeaders = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
};

/**
 * What every request passes before its route is even looked for: it gets an id and the headers that every answer
 * carries; under /api/v2 and at /mcp its key is checked and its cost taken from the rate limits, before a byte of the
 * body is read.
 * So an unknown route tells a stranger nothing, and a new route can't forget to ask for a key.
 */
export class Gate {
  readonly #parts: GateParts;
  readonly #callers = new WeakMap<Request, Caller>();
  readonly #failures = new WeakMap<Request, Failure>();

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** Around the handling of every request, for Elysia's `wrap`: measures it, and tells the log what became of it. */
  around(handle: Handle): Handle {
    return (request) => {
      const startedAt = performance.now();
      this.#parts.observer?.requestStarted();
      const answer = handle(request);
      if (!(answer instanceof Promise)) return this.#left(request, answer, startedAt);
      return answer.then((response) => this.#left(request, response, startedAt));
    };
  }

  /** The caller of a request that passed; throws UNAUTHORIZED for one that did not have to show a key. */
  callerOf(request: Request): Caller {
    const caller = this.#callers.get(request);
    if (caller === undefined) throw new ApiError("UNAUTHORIZED");
    return caller;
  }

  /** Runs first, and at once where it can: a promise is given only when a key has to be looked up. */
  enter(request: Request, set: Settings): Response | undefined | Promise<undefined> {
    const { ids, clock, corsOrigins, isSimulation = false, statusOf, onKeysInAddress } = this.#parts;
    if (isSimulation) set.headers["x-simulation"] = isoTime(clock.now());
    const status = statusOf();
    if (status !== "healthy") set.headers["x-server-status"] = status;
    set.headers["x-request-id"] = requestId(request) ?? ids.next(clock.now());
    Object.assign(set.headers, securityHeaders);
    if (corsOrigins.length > 0) {
      const answer = preflight(request, corsOrigins);
      if (answer !== null) return answer;
      Object.assign(set.headers, corsHeaders(request, corsOrigins));
    }
    const leaked = keysIn(request.url);
    if (leaked.length > 0) onKeysInAddress(leaked);
    const path = pathOf(request.url);
    // HTTP/1.0, or an empty Host: routes could not be told apart (RFC 9112, section 3.2).
    if (request.url.startsWith("/")) throw invalid([{ path: "", message: "Name the server in the Host header." }]);
    // Two Host headers arrive joined: a proxy may have gone by one of them and this server by the other.
    if (request.headers.get("host")?.includes(",") === true)
      throw invalid([{ path: "", message: "Send one Host header." }]);
    if (path !== apiPrefix && !path.startsWith(`${apiPrefix}/`) && !guardedPaths.includes(path)) return undefined;
    return this.#authenticate(request, path, set);
  }

  /** The one place where errors become bodies. */
  refuse(thrown: unknown, request: Request, set: Settings): unknown {
    const { clock, baseUrlOf, onFault, onGlobalRefused } = this.#parts;
    for (const name of ofTheAnswer) delete set.headers[name];
    if (thrown instanceof WrongKeyKind) {
      onGlobalRefused(this.callerOf(request), pathOf(request.url));
      set.status = 400;
      return { error: thrown.message, availableRoute: thrown.availableRoute };
    }
    const error = thrown instanceof ApiError ? thrown : fault(thrown);
    if (error.details?.["refused"] === "globalKey") onGlobalRefused(this.callerOf(request), pathOf(request.url));
    set.status = error.status;
    Object.assign(set.headers, error.headers);
    if (error.status === 401) set.headers["www-authenticate"] = this.#challenge(request);
    if (error.retryAfterSeconds !== undefined) set.headers["retry-after"] = `${error.retryAfterSeconds}`;
    this.#failures.set(request, { error, thrown });
    if (thrown !== error && !request.signal.aborted) onFault(thrown);
    return errorBody(error, isoTime(clock.now()), baseUrlOf(request));
  }

  /** As `refuse`, for a request that was handled already, with the headers of its answer. */
  refusal(thrown: unknown, request: Request, headers: Iterable<[string, string]>): Response {
    const set: Settings = { headers: Object.fromEntries(headers) };
    const body = this.refuse(thrown, request, set);
    return Response.json(body, { status: Number(set.status), headers: set.headers as Record<string, string> });
  }

  /** As `refusal`, in place of one for a fault of ours, after which some of what the request was to do holds. */
  interrupted(request: Request, headers: Iterable<[string, string]>): Response {
    const thrown = this.#failures.get(request)?.thrown;
    const error = new ApiError("REQUEST_INTERRUPTED");
    const response = this.refusal(error, request, headers);
    this.#failures.set(request, { error, thrown });
    return response;
  }

  /** The body of an answer ended too early, after its status was sent. */
  brokeOff(request: Request, error: unknown): void {
    if (request.signal.aborted) return;
    const { log, onFault, routeOf } = this.#parts;
    const { keyId, userId, origin } = this.callerOf(request);
    const route = routeOf(request.method, pathOf(request.url));
    const requestId = origin?.().requestId ?? null;
    log.error({ requestId, method: request.method, route, keyId, userId, err: error }, "a response broke off");
    onFault(error);
  }

  /** Whether a request failed by a fault of ours, not by a refusal that somebody decided on. */
  isFault(request: Request): boolean {
    const failure = this.#failures.get(request);
    return failure !== undefined && failure.thrown !== failure.error;
  }

  /** The secret that a request showed; "" for one that showed none. */
  secretOf(request: Request): string {
    return keyIn(request.headers) ?? "";
  }

  /** RFC 6750, section 3: no error code for a request that shows no credentials at all. */
  #challenge(request: Request): string {
    const isShown = keyIn(request.headers) !== null || sessionTokenOf(request) !== null;
    return isShown ? 'Bearer realm="outreachd", error="invalid_token"' : 'Bearer realm="outreachd"';
  }

  #left(request: Request, response: Response, startedAt: number): Response {
    const { log, requestLog, requestLevel, observer, routeOf } = this.#parts;
    const failure = this.#failures.get(request);
    const isFault = this.isFault(request) && !request.signal.aborted;
    const path = pathOf(request.url);
    const level = probePaths.includes(path) ? "debug" : requestLevel;
    const isLogged = isFault || requestLog.writes(level);
    if (observer === null && !isLogged) return response;
    const ms = performance.now() - startedAt;
    const route = routeOf(request.method, path);
    observer?.requestEnded(request.method, route, response.status, ms / 1000);
    if (!isLogged) return response;
    const caller = this.#callers.get(request);
    const line = {
      requestId: response.headers.get("x-request-id"),
      method: request.method,
      route,
      path,
      status: response.status,
      durationMs: Math.round(ms * 1000) / 1000,
      keyId: caller?.keyId ?? null,
      userId: caller?.userId ?? null,
      ...(failure && { code: failure.error.code }),
    };
    if (isFault) log.error({ ...line, err: failure?.thrown }, "request failed");
    else if (ms > patienceMs && request.signal.aborted) requestLog.write(level, line, "the client went away");
    else requestLog.write(level, line, failure === undefined ? "request served" : "request refused");
    return response;
  }

  #authenticate(request: Request, path: string, set: Settings): undefined | Promise<undefined> {
    const secret = keyIn(request.headers);
    const token = secret === null ? sessionTokenOf(request) : null;
    if (token !== null) return this.#resume(request, set, token);
    let caller: Caller | Promise<Caller>;
    try {
      caller = this.#parts.keyRing.identify(secret);
    } catch (error) {
      this.refuseStranger(request, set, error);
    }
    if (!(caller instanceof Promise)) return this.#admit(request, path, set, caller);
    return caller.then(
      (found) => this.#admit(request, path, set, found),
      (error: unknown) => this.refuseStranger(request, set, error),
    );
  }

  /** A request that shows no key but the cookie of a session, which proves nothing about who made the browser send it. */
  async #resume(request: Request, set: Settings, token: string): Promise<undefined> {
    const { callerOfSession, publicUrl, limiter } = this.#parts;
    const caller = await callerOfSession(token).catch((error: unknown) => this.refuseStranger(request, set, error));
    // Apart from the user's programs: neither shall use up the other's requests.
    this.#count(set, limiter.take(`page:${caller.userId}`, requestCost.page));
    requireOwnPage(request, publicUrl);
    this.#callers.set(request, this.#withOrigin(caller, request, set));
  }

  #admit(request: Request, path: string, set: Settings, caller: Caller): undefined {
    const subject = caller.userId === null ? `key:${caller.keyId}` : `user:${caller.userId}`;
    this.#callers.set(request, this.#withOrigin(caller, request, set));
    // The command line on this machine manages the server; it shares no quota with clients.
    if (caller.isLocal) {
      Object.assign(set.headers, unlimitedHeaders);
      return;
    }
    // What a tool calls is counted as a request of its own, so that its message is left to cost little.
    const isCheap = path === `${apiPrefix}/health` || guardedPaths.includes(path);
    const cost = isCheap ? requestCost.health : requestCost.full;
    this.#count(set, this.#parts.limiter.take(subject, cost));
  }

  #withOrigin(caller: Caller, request: Request, set: Settings): Caller {
    return this.#parts.keyRing.from(caller, this.originOf(request, String(set.headers["x-request-id"])));
  }

  /** Where a request comes from, worked out when somebody asks. */
  originOf(request: Request, requestId: string): () => Origin {
    const { addressOf } = this.#parts;
    return () => ({
      requestId,
      address: addressOf(request),
      userAgent: userAgentExcerpt(request.headers.get("user-agent")),
    });
  }

  /** Throws `error`, or RATE_LIMIT_EXCEEDED for an address that showed too many keys that open nothing. */
  refuseStranger(request: Request, set: Settings, error: unknown): never {
    const { limiter, addressOf } = this.#parts;
    const isWrongKey = error instanceof ApiError && error.code === "UNAUTHORIZED";
    this.#count(set, limiter.takeFromStranger(addressOf(request), isWrongKey ? requestCost.full : requestCost.none));
    throw error;
  }

  #count(set: Settings, { isAllowed, limit, retryAfterSeconds, headers }: ReturnType<RateLimiter["take"]>): void {
    Object.assign(set.headers, headers);
    if (isAllowed) return;
    const resetTime = isoTime(this.#parts.clock.now() + retryAfterSeconds * 1000);
    throw new ApiError("RATE_LIMIT_EXCEEDED", { details: { limit, resetTime }, retryAfterSeconds });
  }
}

/** A request's own id is kept when it is short and plain, so that it can be followed through several services. */
function requestId({ headers }: Request): string | null {
  const id = headers.get("x-request-id");
  // An id that shows a key would take it into the log, the audit log and the response.
  return id !== null && /^[\w.:-]{1,128}$/.test(id) && withoutKeys(id) === id ? id : null;
}

/** Path of an absolute URL without its query; cheaper than parsing it. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const query = url.indexOf("?", start);
  return query === -1 ? url.slice(start) : url.slice(start, query);
}

/** Nobody goes away earlier than this who waits for an answer, and to ask costs a signal for each request. */
const patienceMs = 500;

/** Somebody has to make room first, so asking every second would only add to the load. */
const diskRetrySeconds = 30;

/** A fault of ours: the client learns that it may try again, the log learns the rest. */
function fault(cause: unknown): ApiError {
  const disk = diskFaultOf(cause);
  if (disk !== null)
    return new ApiError("SERVICE_UNAVAILABLE", { message: disk.message, cause, retryAfterSeconds: diskRetrySeconds });
  return new ApiError("SERVICE_UNAVAILABLE", { cause, retryAfterSeconds: 1 });
}
