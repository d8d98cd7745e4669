import type { Caller } from "../auth/caller.ts";
import { type Access, actingFor, type KeyRing, type Named, requireAccess } from "../auth/access.ts";
import { requireAddress } from "../auth/key-restrictions.ts";
import { keyLength, keysIn } from "../auth/secret.ts";
import { type Clock, type Ids, isoTime } from "../base/clock.ts";
import { currentRequest } from "../base/current-request.ts";
import { ApiError, invalid } from "../base/errors.ts";
import { withoutKeys } from "../base/secret-text.ts";
import { replaceNul } from "../base/text.ts";
import { corsHeaders, preflight } from "./cors.ts";
import type { Idempotency } from "./idempotency.ts";
import { checkNames, parsed, queryOf, readJson } from "./input.ts";
import { noDryRun } from "./input-errors.ts";
import { idempotencyHeader, keyedRequestOf } from "./keyed-request.ts";
import { unlimitedHeaders, type RateLimiter, type RateVerdict } from "../../lib/rate-limit/rate-limiter.ts";
import { refuseStranger, requestCost, tooManyRequests } from "./rate-limit.ts";
import type { Refusals } from "./refusals.ts";
import type { RequestContext } from "./request-context.ts";
import type { RequestLog } from "./request-log.ts";
import type { RouteTable } from "./route-table.ts";
import type { Route } from "./route.ts";
import { requireOwnPage } from "./same-origin.ts";
import type { SessionCookies } from "./session-cookie.ts";
import { withWarnings } from "./warnings.ts";
import { requireWritable, type WriteRefusal } from "./write-refusal.ts";

export type PipelineParts = {
  table: RouteTable;
  keyRing: KeyRing;
  limiter: RateLimiter;
  idempotency: Idempotency;
  refusals: Refusals;
  requestLog: RequestLog;
  clock: Clock;
  ids: Ids;
  corsOrigins: readonly string[];
  publicUrl: string | null;
  maxBodyBytes: number;
  isSimulation: boolean;
  /** Whether the server is healthy, and why it accepts no changes; null if it does. */
  operations: { readonly status: string; readonly writeRefusal: WriteRefusal | null };
  cookies: SessionCookies;
  /** Whether a caller would still be accepted, with the same rights. */
  mayGoOn: (caller: Caller) => Promise<boolean>;
  /** The caller that a signed-in browser acts as. Throws UNAUTHORIZED if the session has ended. */
  callerOfSession: (token: string) => Promise<Caller>;
  /** What an ID in `userId` stands for. */
  findNamed: (id: string) => Promise<Named>;
  /** Called with API keys that appear in the URL of a request. */
  onKeysInUrl: (secrets: readonly string[]) => void;
};

/** In place of U+0000 in IDs and filters, which then match nothing: PostgreSQL refuses to compare with it. */
const unknownCharacter = "\uFFFD";

/** The path of every request, from its arrival to its response. */
export class Pipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** Responds to a request. Never rejects. */
  async handle(context: RequestContext, route: Route | null): Promise<Response> {
    const { requestLog, refusals } = this.#parts;
    const startedAt = requestLog.started();
    const response = await this.#respond(context, route).catch((error: unknown) => refusals.render(context, error));
    requestLog.ended(context, response, startedAt);
    return response;
  }

  async #respond(context: RequestContext, route: Route | null): Promise<Response> {
    const early = this.#open(context);
    if (early !== null) return early;
    if (requiresKey(context.path)) {
      await this.#identify(context);
      await this.#limit(context);
    }
    if (route === null) throw this.#parts.table.noRoute(context.request.method, context.path);
    if (route.access === null) return render(context, await route.handle(context));
    this.#authorize(context, route.access);
    if (!isKeyed(context.request)) return this.#execute(context, route, route.access);
    context.keyed = keyedRequestOf(context.request)!;
    return currentRequest.run(context.keyed, () => this.#executeOnce(context, route, route.access!));
  }

  async #execute(context: RequestContext, route: Route, access: Access): Promise<Response> {
    await this.#read(context, route);
    await this.#validate(context, route, access);
    const replayed = context.keyed && (await this.#parts.idempotency.replay(context));
    return render(context, replayed ?? (await route.handle(context)));
  }

  /** Like `#execute`, for a request with an Idempotency-Key. */
  async #executeOnce(context: RequestContext, route: Route, access: Access): Promise<Response> {
    const { idempotency, refusals } = this.#parts;
    const response = await this.#execute(context, route, access).catch((error) => refusals.render(context, error));
    return idempotency.finish(context, response);
  }

  /** Sets the headers of every response. Returns the response to a CORS preflight. Throws for an ambiguous Host header. */
  #open(context: RequestContext): Response | null {
    const { request, set } = context;
    const { ids, clock, corsOrigins, isSimulation, operations, onKeysInUrl } = this.#parts;
    const now = clock.now();
    context.id = requestIdOf(request) ?? ids.next(now);
    Object.assign(set.headers, securityHeaders, { "x-request-id": context.id });
    if (isSimulation) set.headers["x-simulation"] = isoTime(now);
    if (operations.status !== "healthy") set.headers["x-server-status"] = operations.status;
    if (corsOrigins.length > 0) {
      const response = preflight(request, corsOrigins);
      if (response !== null) return render(context, response);
      Object.assign(set.headers, corsHeaders(request, corsOrigins));
    }
    const leaked = request.url.length < keyLength ? [] : keysIn(request.url);
    if (leaked.length > 0) onKeysInUrl(leaked);
    // HTTP/1.0 or an empty Host header: the URL is only a path (RFC 9112, section 3.2).
    if (request.url.startsWith("/")) throw invalid([{ path: "", message: "Send a Host header." }]);
    // Repeated Host headers are joined: a proxy may have used one and this server another.
    if (request.headers.get("host")?.includes(",") === true)
      throw invalid([{ path: "", message: "Send one Host header." }]);
    return null;
  }

  /** Determines the caller from the API key or, without one, from the session cookie. */
  async #identify(context: RequestContext): Promise<void> {
    const { keyRing, limiter, clock, cookies, callerOfSession } = this.#parts;
    const token = context.secret === null ? cookies.tokenIn(context.request) : null;
    try {
      const identify = context.path === metricsPath ? "identifyInOutage" : "identify";
      const found = token === null ? keyRing[identify](context.secret) : callerOfSession(token);
      const caller = found instanceof Promise ? await found : found;
      context.caller = { ...caller, origin: () => context.origin };
      context.isPage = token !== null;
      if (caller.restrictions !== undefined) requireAddress(caller.restrictions, context.address);
    } catch (error) {
      refuseStranger(context, error, limiter, clock);
    }
  }

  /** Throws RATE_LIMIT_EXCEEDED if the caller has used up its quota. */
  async #limit(context: RequestContext): Promise<void> {
    const { caller, path, request, isPage } = context;
    const { limiter, publicUrl } = this.#parts;
    if (isPage) {
      // Counted separately, so that pages and programs of a user do not use up each other's quota.
      this.#requireAllowed(context, await limiter.take(`page:${caller.userId}`, requestCost.page));
      requireOwnPage(request, publicUrl);
    } else if (caller.isLocal) {
      // The command line on this machine manages the server and shares no quota with clients.
      Object.assign(context.set.headers, unlimitedHeaders);
    } else {
      const subject = caller.userId === null ? `key:${caller.keyId}` : `user:${caller.userId}`;
      const cost = cheapPaths.includes(path) ? requestCost.health : requestCost.full;
      this.#requireAllowed(context, await limiter.take(subject, cost));
      const own = caller.restrictions?.rateLimits ?? null;
      if (own !== null) this.#requireAllowed(context, await limiter.takeWithin(`key-own:${caller.keyId}`, cost, own));
    }
  }

  #requireAllowed({ set }: RequestContext, verdict: RateVerdict): void {
    Object.assign(set.headers, verdict.headers);
    if (!verdict.isAllowed) throw tooManyRequests(verdict, this.#parts.clock);
  }

  /** Throws PERMISSION_DENIED, or SERVICE_UNAVAILABLE for a change while the server accepts none. */
  #authorize({ caller, request, route }: RequestContext, access: Access): void {
    requireAccess(caller, access);
    const refusal = this.#parts.operations.writeRefusal;
    if (refusal !== null) requireWritable(request.method, route, refusal);
  }

  /** Throws UNAUTHORIZED if a key, session, or membership has ended since the request began. */
  async #requireStillValid(caller: Caller): Promise<void> {
    if (await this.#parts.mayGoOn(caller)) return;
    throw new ApiError("UNAUTHORIZED", {
      message: "Your access ended or changed during the upload. Sign in again, or use another key.",
    });
  }

  async #read(context: RequestContext, { bodyKind }: Route): Promise<void> {
    const { maxBodyBytes } = this.#parts;
    if (bodyKind === "stream") context.recheck = () => this.#requireStillValid(context.caller);
    const { method, url } = context.request;
    if (bodyKind !== "stream" && method !== "GET" && method !== "HEAD") {
      const limit = bodyKind === "bulk" ? Math.max(maxBodyBytes, bulkBytes) : maxBodyBytes;
      const reading = readJson(context, limit);
      context.body = (await (bodyKind === "message" ? reading.catch(malformedBody) : reading)) ?? null;
    }
    const query = queryOf(url);
    shareDryRun(query, context.body);
    context.query = query;
  }

  /** Replaces parameters, query, and body by their validated values. */
  async #validate(context: RequestContext, route: Route, { actsFor }: Access): Promise<void> {
    context.params = parsed(route.params, replaceNul(context.params, unknownCharacter));
    context.query = parsed(route.query, replaceNul(context.query, unknownCharacter));
    context.body = parsed(route.body, context.body);
    const { caller, query, body } = context;
    if (actsFor !== "caller")
      Object.assign(context, await actingFor(caller, userIdIn(query) ?? userIdIn(body), this.#parts.findNamed));
    if (route.bodyKind === "message") return;
    const { accepted } = route;
    const unknown = checkNames(query as object, body, accepted);
    if (unknown.length > 0) context.warn(unknown);
    const { dryRun = false } = query as { dryRun?: unknown };
    if (route.method !== "GET" && !["0", "false", false].includes(dryRun as string) && !route.hasDryRun())
      throw invalid([{ path: "dryRun", message: noDryRun }]);
  }
}

const apiPrefix = "/api/v2";
/** Served while the database is away, so that monitoring shows the outage. */
const metricsPath = "/metrics";
/** Paths outside the API that require a key. */
const guardedPaths = [metricsPath, "/mcp"];
/** MCP messages are cheap because each tool call is a separate request. */
const cheapPaths = [`${apiPrefix}/health`, ...guardedPaths];
/** Holds 10,000 people with all their details. */
const bulkBytes = 16 * 2 ** 20;

/** On every response (OWASP REST security cheat sheet); pages that need more set their own. */
const securityHeaders = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
};

/** By path, so that unknown routes reveal nothing to strangers and no new route can omit the check. */
function requiresKey(path: string): boolean {
  return path === apiPrefix || path.startsWith(`${apiPrefix}/`) || guardedPaths.includes(path);
}

function isKeyed({ method, headers }: Request): boolean {
  return method === "POST" && headers.has(idempotencyHeader);
}

/** The client's request ID, so that a request can be traced through several services; null if it is not short and plain. */
function requestIdOf({ headers }: Request): string | null {
  const id = headers.get("x-request-id");
  // An ID that contains an API key would carry it into the logs and the response.
  return id !== null && /^[\w.:-]{1,128}$/.test(id) && withoutKeys(id) === id ? id : null;
}

function malformedBody(error: unknown): unknown {
  if (error instanceof ApiError && error.code === "VALIDATION_ERROR") return error;
  throw error;
}

function userIdIn(part: unknown): unknown {
  return typeof part === "object" && part !== null && "userId" in part ? part.userId : undefined;
}

/**
 * Some routes accept `dryRun` in the query, others in the body. It counts wherever it is sent, and if the two differ, the
 * request is a dry run: a trial must never be executed.
 */
function shareDryRun(query: Record<string, unknown>, body: unknown): void {
  const inQuery = query["dryRun"];
  if (inQuery !== undefined && (typeof inQuery !== "string" || inQuery === ""))
    throw invalid([{ path: "dryRun", message: "Expected true or false, once. Nothing was changed." }]);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return;
  const fields = body as Record<string, unknown>;
  const inBody = fields["dryRun"];
  if (inQuery === undefined) {
    if (typeof inBody === "boolean") query["dryRun"] = `${inBody}`;
    return;
  }
  const value = ["true", "1"].includes(inQuery) || (["false", "0"].includes(inQuery) ? false : inQuery);
  if (value !== false) fields["dryRun"] = value;
  else if (inBody === true) query["dryRun"] = "true";
}

/** The response for what a handler returned: a value for JSON, null for an empty body, or a response. */
function render(context: RequestContext, result: unknown): Response {
  const { set, warnings, keyed } = context;
  const value = warnings.length === 0 ? result : withWarnings(warnings, result);
  if (value instanceof Response) {
    for (const name in set.headers) if (!value.headers.has(name)) value.headers.set(name, set.headers[name]!);
    return value;
  }
  if (value === null || value === undefined) return new Response(null, set);
  const text = JSON.stringify(value);
  if (keyed !== null) keyed.text = text;
  set.headers["content-type"] ??= "application/json;charset=utf-8";
  return new Response(text, set);
}
