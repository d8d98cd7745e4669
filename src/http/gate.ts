import type { Clock } from "../clock.ts";
import { isoTime } from "../clock.ts";
import { diskFaultOf } from "../disk-fault.ts";
import { ApiError, invalid } from "../errors.ts";
import type { Ids } from "../ids.ts";
import type { Caller } from "../keys/caller.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import type { Log } from "../log.ts";
import { corsHeaders, preflight } from "./cors.ts";
import { errorBody } from "./error-body.ts";
import { WrongKeyKind } from "./permission.ts";
import { requestCost, type RateLimiter } from "./rate-limit.ts";
import { requireOwnPage } from "./same-origin.ts";
import { sessionTokenOf } from "./session-cookie.ts";

export type GateParts = {
  keyRing: KeyRing;
  limiter: RateLimiter;
  clock: Clock;
  ids: Ids;
  log: Log;
  corsOrigins: readonly string[];
  addressOf: (request: Request) => string;
  /** The caller that a signed-in browser acts as. Throws UNAUTHORIZED when the session has ended. */
  callerOfSession: (token: string) => Promise<Caller>;
  publicUrl: string | null;
  /** Hears of every failure that is a fault of ours. */
  onFault: (error: unknown) => void;
};

type Headers = Record<string, string | number>;
type Settings = { headers: Headers; status?: number | string };

const apiPrefix = "/api/v2";

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
 * carries; under /api/v2 its key is checked and its cost taken from the rate limits, before a byte of the body is read.
 * So an unknown route tells a stranger nothing, and a new route can't forget to ask for a key.
 */
export class Gate {
  readonly #parts: GateParts;
  readonly #callers = new WeakMap<Request, Caller>();

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** The caller of a request that passed; throws UNAUTHORIZED for one that did not have to show a key. */
  callerOf(request: Request): Caller {
    const caller = this.#callers.get(request);
    if (caller === undefined) throw new ApiError("UNAUTHORIZED");
    return caller;
  }

  /** Runs first, and at once where it can: a promise is given only when a key has to be looked up. */
  enter(request: Request, set: Settings): Response | undefined | Promise<undefined> {
    const { ids, clock, corsOrigins } = this.#parts;
    set.headers["x-request-id"] = requestId(request) ?? ids.next(clock.now());
    Object.assign(set.headers, securityHeaders);
    if (corsOrigins.length > 0) {
      const answer = preflight(request, corsOrigins);
      if (answer !== null) return answer;
      Object.assign(set.headers, corsHeaders(request, corsOrigins));
    }
    const path = pathOf(request.url);
    // HTTP/1.0, or an empty Host: routes could not be told apart (RFC 9112, section 3.2).
    if (request.url.startsWith("/")) throw invalid([{ path: "", message: "Name the server in the Host header." }]);
    if (path !== apiPrefix && !path.startsWith(`${apiPrefix}/`)) return undefined;
    return this.#authenticate(request, path, set);
  }

  /** The one place where errors become bodies. */
  refuse(thrown: unknown, request: Request, set: Settings): unknown {
    const { clock, log, onFault } = this.#parts;
    if (thrown instanceof WrongKeyKind) {
      set.status = 400;
      return { error: thrown.message, availableRoute: thrown.availableRoute };
    }
    const error = thrown instanceof ApiError ? thrown : fault(thrown);
    set.status = error.status;
    Object.assign(set.headers, error.headers);
    if (error.retryAfterSeconds !== undefined) set.headers["retry-after"] = `${error.retryAfterSeconds}`;
    const line = {
      requestId: set.headers["x-request-id"],
      method: request.method,
      path: pathOf(request.url),
      status: error.status,
      code: error.code,
    };
    if (thrown === error) log.debug(line, "request refused");
    else if (request.signal.aborted) log.debug(line, "the client went away");
    else {
      log.error({ ...line, err: thrown }, "request failed");
      onFault(thrown);
    }
    return errorBody(error, isoTime(clock.now()));
  }

  #authenticate(request: Request, path: string, set: Settings): undefined | Promise<undefined> {
    const secret = secretOf(request, path);
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
    this.#callers.set(request, caller);
  }

  #admit(request: Request, path: string, set: Settings, caller: Caller): undefined {
    const subject = caller.userId === null ? `key:${caller.keyId}` : `user:${caller.userId}`;
    this.#callers.set(request, caller);
    // The command line on this machine manages the server; it shares no quota with clients.
    if (caller.isLocal) return;
    const cost = path === `${apiPrefix}/health` ? requestCost.health : requestCost.full;
    this.#count(set, this.#parts.limiter.take(subject, cost));
  }

  /** Throws `error`, or RATE_LIMIT_EXCEEDED for an address that showed too many keys that open nothing. */
  refuseStranger(request: Request, set: Settings, error: unknown): never {
    if (error instanceof ApiError && error.code === "UNAUTHORIZED")
      this.#count(set, this.#parts.limiter.takeFromStranger(this.#parts.addressOf(request)));
    throw error;
  }

  #count(set: Settings, { isAllowed, retryAfterSeconds, headers }: ReturnType<RateLimiter["take"]>): void {
    Object.assign(set.headers, headers);
    if (!isAllowed) throw new ApiError("RATE_LIMIT_EXCEEDED", { retryAfterSeconds });
  }
}

/** The specification lets voice routes take the key as a Bearer token as well. */
function secretOf({ headers }: Request, path: string): string | null {
  const key = headers.get("x-api-key");
  if (key !== null || !path.startsWith(`${apiPrefix}/voice-clones`)) return key?.trim() ?? null;
  return /^Bearer +(\S+)$/i.exec(headers.get("authorization")?.trim() ?? "")?.[1] ?? null;
}

/** A request's own id is kept when it is short and plain, so that it can be followed through several services. */
function requestId({ headers }: Request): string | null {
  const id = headers.get("x-request-id");
  return id !== null && /^[\w.:-]{1,128}$/.test(id) ? id : null;
}

/** Path of an absolute URL without its query; cheaper than parsing it. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const query = url.indexOf("?", start);
  return query === -1 ? url.slice(start) : url.slice(start, query);
}

/** Somebody has to make room first, so asking every second would only add to the load. */
const diskRetrySeconds = 30;

/** A fault of ours: the client learns that it may try again, the log learns the rest. */
function fault(cause: unknown): ApiError {
  const disk = diskFaultOf(cause);
  if (disk !== null)
    return new ApiError("SERVICE_UNAVAILABLE", { message: disk.message, cause, retryAfterSeconds: diskRetrySeconds });
  return new ApiError("SERVICE_UNAVAILABLE", { cause, retryAfterSeconds: 1 });
}
