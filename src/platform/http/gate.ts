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
import type { RequestContext, ResponseSettings } from "./request-context.ts";
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
  addressOf: (context: RequestContext) => string;
  /** The caller that a signed-in browser acts as. Throws UNAUTHORIZED when the session has ended. */
  callerOfSession: (token: string) => Promise<Caller>;
  publicUrl: string | null;
  /** Where the client reaches the server, without a slash at the end. */
  baseUrlOf: (context: RequestContext) => string;
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
  observer: RequestObserver | null;
};

/** Hears of every request. */
export type RequestObserver = {
  requestStarted(): void;
  requestEnded(method: string, route: string | null, status: number, seconds: number): void;
};

const apiPrefix = "/api/v2";
const metricsPath = "/metrics";
const mcpPath = "/mcp";
/** Asked every few seconds by machines. */
const probePaths = ["/healthz", "/readyz", metricsPath];
/** What is behind a key although it is no part of the API. */
const guardedPaths = [metricsPath, mcpPath];

/** Headers that a route sets for its success. */
const headersOfSuccess = [
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
 * What every request passes before its route: it gets an ID and the headers that every response carries; under /api/v2
 * and at /mcp its key is checked and its cost is counted against the rate limits, before a byte of the body is read.
 */
export class Gate {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** Sets the headers of every response. Returns the response to a preflight request, else null. */
  enter(context: RequestContext): Response | null {
    const { ids, clock, corsOrigins, isSimulation = false, statusOf, onKeysInAddress, observer } = this.#parts;
    const { request, set } = context;
    observer?.requestStarted();
    context.id = requestId(request) ?? ids.next(clock.now());
    set.headers["x-request-id"] = context.id;
    Object.assign(set.headers, securityHeaders);
    if (isSimulation) set.headers["x-simulation"] = isoTime(clock.now());
    const status = statusOf();
    if (status !== "healthy") set.headers["x-server-status"] = status;
    if (corsOrigins.length > 0) {
      const response = preflight(request, corsOrigins);
      if (response !== null) return response;
      Object.assign(set.headers, corsHeaders(request, corsOrigins));
    }
    const leaked = keysIn(request.url);
    if (leaked.length > 0) onKeysInAddress(leaked);
    // HTTP/1.0, or an empty Host: routes could not be told apart (RFC 9112, section 3.2).
    if (request.url.startsWith("/")) throw invalid([{ path: "", message: "Name the server in the Host header." }]);
    // Two Host headers arrive joined: a proxy may have used one of them and this server the other.
    if (request.headers.get("host")?.includes(",") === true)
      throw invalid([{ path: "", message: "Send one Host header." }]);
    return null;
  }

  /** Finds out who sends the request and counts it. A promise only if a key has to be looked up. */
  identify(context: RequestContext): undefined | Promise<void> {
    const { path } = context;
    if (path !== apiPrefix && !path.startsWith(`${apiPrefix}/`) && !guardedPaths.includes(path)) return undefined;
    const secret = keyIn(context.request.headers);
    const token = secret === null ? sessionTokenOf(context.request) : null;
    if (token !== null) return this.#resume(context, token);
    let caller: Caller | Promise<Caller>;
    try {
      caller = this.#parts.keyRing.identify(secret);
    } catch (error) {
      this.refuseStranger(context, error);
    }
    if (!(caller instanceof Promise)) return this.#admit(context, caller);
    return caller.then(
      (found) => this.#admit(context, found),
      (error: unknown) => this.refuseStranger(context, error),
    );
  }

  /** The one place where errors become bodies. */
  refuse(context: RequestContext, thrown: unknown): Response {
    const { clock, baseUrlOf, onFault, onGlobalRefused } = this.#parts;
    const { set, request, path } = context;
    for (const name of headersOfSuccess) delete set.headers[name];
    if (thrown instanceof WrongKeyKind) {
      onGlobalRefused(context.caller, path);
      return json({ error: thrown.message, availableRoute: thrown.availableRoute }, 400, set.headers);
    }
    const error = thrown instanceof ApiError ? thrown : fault(thrown);
    if (error.details?.["refused"] === "globalKey") onGlobalRefused(context.caller, path);
    Object.assign(set.headers, error.headers);
    if (error.status === 401) set.headers["www-authenticate"] = challengeTo(request);
    if (error.retryAfterSeconds !== undefined) set.headers["retry-after"] = `${error.retryAfterSeconds}`;
    context.failure = { error, thrown };
    if (thrown !== error && !request.signal.aborted) onFault(thrown);
    return json(errorBody(error, isoTime(clock.now()), baseUrlOf(context)), error.status, set.headers);
  }

  /** As `refuse`, in place of a fault after which some of the request's changes hold. */
  interrupted(context: RequestContext): Response {
    const thrown = context.failure?.thrown;
    const error = new ApiError("REQUEST_INTERRUPTED");
    const response = this.refuse(context, error);
    context.failure = { error, thrown };
    return response;
  }

  /** The body of a response ended too early, after its status was sent. */
  brokeOff({ request, caller, template, id }: RequestContext, error: unknown): void {
    if (request.signal.aborted) return;
    const { log, onFault } = this.#parts;
    const { keyId, userId } = caller;
    const line = { requestId: id, method: request.method, route: template, keyId, userId, err: error };
    log.error(line, "a response broke off");
    onFault(error);
  }

  /** Counts and logs the request once its response is there. */
  leave(context: RequestContext, response: Response): Response {
    const { log, requestLog, requestLevel, observer } = this.#parts;
    const { request, path, failure, template } = context;
    const isFault = context.isFault && !request.signal.aborted;
    const level = probePaths.includes(path) ? "debug" : requestLevel;
    const isLogged = isFault || requestLog.writes(level);
    if (observer === null && !isLogged) return response;
    const ms = performance.now() - context.startedAt;
    observer?.requestEnded(request.method, template, response.status, ms / 1000);
    if (!isLogged) return response;
    const caller = context.knownCaller;
    const line = {
      requestId: response.headers.get("x-request-id"),
      method: request.method,
      route: template,
      path,
      status: response.status,
      durationMs: Math.round(ms * 1000) / 1000,
      keyId: caller?.keyId ?? null,
      userId: caller?.userId ?? null,
      ...(failure && { code: failure.error.code }),
    };
    if (isFault) log.error({ ...line, err: failure?.thrown }, "request failed");
    else if (ms > patienceMs && request.signal.aborted) requestLog.write(level, line, "the client disconnected");
    else requestLog.write(level, line, failure === null ? "request served" : "request refused");
    return response;
  }

  /** Where a request comes from, computed when somebody asks. */
  originOf(context: RequestContext): () => Origin {
    return () => ({
      requestId: context.id,
      address: this.#parts.addressOf(context),
      userAgent: userAgentExcerpt(context.request.headers.get("user-agent")),
    });
  }

  /** Throws `error`, or RATE_LIMIT_EXCEEDED for an address that sent too many wrong keys. */
  refuseStranger(context: RequestContext, error: unknown): never {
    const { limiter, addressOf } = this.#parts;
    const isWrongKey = error instanceof ApiError && error.code === "UNAUTHORIZED";
    const cost = isWrongKey ? requestCost.full : requestCost.none;
    this.#count(context, limiter.takeFromStranger(addressOf(context), cost));
    throw error;
  }

  /** A request without a key but with the cookie of a session, which proves nothing about who made the browser send it. */
  async #resume(context: RequestContext, token: string): Promise<void> {
    const { callerOfSession, publicUrl, limiter } = this.#parts;
    const caller = await callerOfSession(token).catch((error: unknown) => this.refuseStranger(context, error));
    // Apart from the user's programs: neither must use up the other's requests.
    this.#count(context, limiter.take(`page:${caller.userId}`, requestCost.page));
    requireOwnPage(context.request, publicUrl);
    this.#accept(context, caller);
  }

  #admit(context: RequestContext, caller: Caller): undefined {
    const { set, path } = context;
    this.#accept(context, caller);
    // The command line on this machine manages the server; it shares no quota with clients.
    if (caller.isLocal) {
      Object.assign(set.headers, unlimitedHeaders);
      return;
    }
    const subject = caller.userId === null ? `key:${caller.keyId}` : `user:${caller.userId}`;
    // A call of a tool is counted as a request of its own, so its message costs little.
    const isCheap = path === `${apiPrefix}/health` || guardedPaths.includes(path);
    this.#count(context, this.#parts.limiter.take(subject, isCheap ? requestCost.health : requestCost.full));
  }

  #accept(context: RequestContext, caller: Caller): void {
    context.caller = this.#parts.keyRing.from(caller, this.originOf(context));
  }

  #count(context: RequestContext, taken: ReturnType<RateLimiter["take"]>): void {
    const { isAllowed, limit, retryAfterSeconds, headers } = taken;
    Object.assign(context.set.headers, headers);
    if (isAllowed) return;
    const resetTime = isoTime(this.#parts.clock.now() + retryAfterSeconds * 1000);
    throw new ApiError("RATE_LIMIT_EXCEEDED", { details: { limit, resetTime }, retryAfterSeconds });
  }
}

function json(body: object, status: number, headers: ResponseSettings["headers"]): Response {
  return Response.json(body, { status, headers: headers as Record<string, string> });
}

/** RFC 6750, section 3: no error code for a request that shows no credentials at all. */
function challengeTo(request: Request): string {
  const hasCredentials = keyIn(request.headers) !== null || sessionTokenOf(request) !== null;
  return hasCredentials ? 'Bearer realm="outreachd", error="invalid_token"' : 'Bearer realm="outreachd"';
}

/** A request's own id is kept when it is short and plain, so that it can be followed through several services. */
function requestId({ headers }: Request): string | null {
  const id = headers.get("x-request-id");
  // An id that shows a key would take it into the log, the audit log and the response.
  return id !== null && /^[\w.:-]{1,128}$/.test(id) && withoutKeys(id) === id ? id : null;
}

/** No client gives up earlier than this, and asking costs a signal per request. */
const patienceMs = 500;

/** Somebody has to make room first, so asking every second would only add to the load. */
const diskRetrySeconds = 30;

/** A fault of the server: the client learns that it may retry, the log gets the details. */
function fault(cause: unknown): ApiError {
  const disk = diskFaultOf(cause);
  if (disk !== null)
    return new ApiError("SERVICE_UNAVAILABLE", { message: disk.message, cause, retryAfterSeconds: diskRetrySeconds });
  return new ApiError("SERVICE_UNAVAILABLE", { cause, retryAfterSeconds: 1 });
}
