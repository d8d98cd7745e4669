import { ElysiaCustomStatusResponse } from "elysia";
import { ApiError, invalid } from "../base/errors.ts";
import { readJson } from "./body.ts";
import type { Gate } from "./gate.ts";
import type { Idempotency } from "./idempotency.ts";
import { queryOf } from "./input.ts";
import { actingUser, requireAccess } from "./permission.ts";
import { checkNames, requireDryRunKnown } from "./query-names.ts";
import { RequestContext } from "./request-context.ts";
import { withWarnings } from "./response.ts";
import type { Route, RouteTable } from "./routes.ts";

export type PipelineParts = {
  table: RouteTable;
  gate: Gate;
  idempotency: Idempotency;
  userExists: (id: string) => Promise<boolean>;
  /** Throws SERVICE_UNAVAILABLE for a request that would change something while nothing may change. */
  requireWritable: (context: RequestContext) => void;
};

/** The connection that a request came by; null within this process. */
export type Connection = {
  requestIP(request: Request): { address: string } | null;
  /** Seconds that it may be silent; 0: no limit. */
  timeout(request: Request, seconds: number): void;
};

type Inputs = { params: unknown; query: Record<string, unknown>; body: unknown };

/** The whole way of a request, from its first byte to its response. */
export class Pipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** The response to a request that the router has given to a route. */
  handle(
    route: Route | null,
    request: Request,
    params: Record<string, string>,
    connection: Connection | null,
    outer: RequestContext | null = null,
  ): Promise<Response> {
    const peer = connection?.requestIP(request)?.address ?? "local";
    const context = new RequestContext(request, route?.template ?? null, peer, outer);
    return this.#parts.idempotency
      .run(context, () => this.#respond(route, context, params, connection))
      .then((response) => this.#parts.gate.leave(context, response));
  }

  /** As `handle`, for a request whose route is not known yet. `outer`: the one on whose behalf it is made. */
  dispatch(request: Request, connection: Connection | null, outer: RequestContext | null = null): Promise<Response> {
    const path = new URL(request.url, "http://localhost").pathname;
    const found = this.#parts.table.find(request.method, path);
    return this.handle(found?.route ?? null, request, found?.params ?? {}, connection, outer);
  }

  /** identify → limit → authorize → read → validate → replay → handle → render */
  async #respond(
    known: Route | null,
    context: RequestContext,
    params: Record<string, string>,
    connection: Connection | null,
  ): Promise<Response> {
    const { gate, idempotency, requireWritable } = this.#parts;
    try {
      const preflight = gate.enter(context);
      if (preflight !== null) return merged(preflight, context);
      await gate.identify(context);
      const route = known ?? this.#refuseUnknown(context);
      if (route.access !== null) {
        requireAccess(context.caller, route.access);
        requireWritable(context);
      }
      idempotency.check(context);
      const inputs = validated(route, { params, ...(await read(route, context)) });
      const acting = await this.#acting(route, context, inputs);
      requireKnownNames(route, context, inputs);
      const replayed = await idempotency.replay(context);
      if (replayed !== undefined) return merged(replayed, context);
      const value = await route.handler(this.#contextOf(context, inputs, acting, connection));
      return await this.#rendered(context, value);
    } catch (error) {
      return gate.refuse(context, error);
    }
  }

  /** Who acts for whom, for routes that need a key. */
  async #acting(route: Route, context: RequestContext, { query, body }: Inputs) {
    if (route.access === null) return null;
    const { caller } = context;
    if (route.access.actsFor === "caller") return { caller };
    const named = userIdIn(query) ?? userIdIn(body);
    return { caller, userId: await actingUser(caller, named, this.#parts.userExists) };
  }

  /** What Elysia hands to a handler, too: `set`, `server`, `headers`, `status`, and `redirect`. */
  #contextOf(context: RequestContext, inputs: Inputs, acting: object | null, server: Connection | null) {
    const { request, set } = context;
    const brokeOff = (error: unknown): void => this.#parts.gate.brokeOff(context, error);
    return {
      ...inputs,
      ...acting,
      ...{ context, request, set, server, brokeOff, status, redirect },
      get headers() {
        return Object.fromEntries(request.headers);
      },
    };
  }

  async #rendered(context: RequestContext, value: unknown): Promise<Response> {
    const { set } = context;
    const reported = withWarnings(value, context.warnings);
    const stored = this.#parts.idempotency.store(context, reported);
    if (stored !== undefined) return new Response(await stored, settings(context));
    if (reported instanceof Response) return merged(reported, context);
    if (reported instanceof ElysiaCustomStatusResponse) set.status = reported.code;
    const body: unknown = reported instanceof ElysiaCustomStatusResponse ? reported.response : reported;
    if (body === null || body === undefined) return new Response(null, settings(context));
    return typeof body === "object"
      ? Response.json(body, settings(context))
      : new Response(body as string, settings(context));
  }

  #refuseUnknown({ path, request: { method } }: RequestContext): never {
    const allow = this.#parts.table.methodsOf(path);
    if (allow.length > 0)
      throw new ApiError("METHOD_NOT_ALLOWED", {
        message: `${path} does not support ${method}. Supported: ${allow.join(", ")}.`,
        details: { allow },
        headers: { allow: allow.join(", ") },
      });
    throw new ApiError("NOT_FOUND", {
      message: `Route ${method} ${path} not found. See /docs for all routes.`,
      details: { resource: "route", id: `${method} ${path}` },
    });
  }
}

/** Query and body as sent. A body of GET and HEAD means nothing. */
async function read(route: Route, context: RequestContext): Promise<Omit<Inputs, "params">> {
  const query = queryOf(context.request.url);
  const body = await readBody(route, context);
  if (route.access !== null) shareDryRun(query, body);
  return { query, body };
}

async function readBody({ maxBytes, takesInvalidJson }: Route, context: RequestContext): Promise<unknown> {
  const { method } = context.request;
  if (maxBytes === null || method === "GET" || method === "HEAD") return undefined;
  try {
    return (await readJson(context, maxBytes)) ?? null;
  } catch (error) {
    if (takesInvalidJson && error instanceof ApiError && error.code === "VALIDATION_ERROR") return error;
    throw error;
  }
}

function validated({ params, query, body }: Route, sent: Inputs): Inputs {
  return {
    params: params === undefined ? sent.params : params["~standard"].validate(sent.params).value,
    query: (query === undefined ? sent.query : query["~standard"].validate(sent.query).value) as Inputs["query"],
    body: body === undefined ? sent.body : body["~standard"].validate(sent.body).value,
  };
}

/** Nothing must be ignored silently, or done although it was not intended. */
function requireKnownNames({ names }: Route, context: RequestContext, { query, body }: Inputs): void {
  if (names === null) return;
  context.warn(checkNames(query, body, names));
  requireDryRunKnown(context.request.method, query, names);
}

/** A response that a handler made, with the headers of this request. */
function merged(response: Response, { set }: RequestContext): Response {
  for (const [name, value] of Object.entries(set.headers))
    if (!response.headers.has(name)) response.headers.set(name, String(value));
  return response;
}

function settings({ set }: RequestContext): { status: number; headers: Record<string, string> } {
  return { status: Number(set.status ?? 200), headers: set.headers as Record<string, string> };
}

function status(code: number, body: unknown): unknown {
  return new ElysiaCustomStatusResponse(code, body);
}

function redirect(location: string, code: number): Response {
  return new Response(null, { status: code, headers: { location } });
}

function userIdIn(part: unknown): unknown {
  return typeof part === "object" && part !== null && "userId" in part ? part.userId : undefined;
}

/**
 * Some routes take `dryRun` in the query, some in the body. Wherever a client sends it, it counts, and of two values true
 * wins: what somebody only wanted to try must never be done.
 */
function shareDryRun(query: Record<string, unknown>, body: unknown): void {
  const asked = query["dryRun"];
  if (asked !== undefined && (typeof asked !== "string" || asked === ""))
    throw invalid([{ path: "dryRun", message: "Expected true or false, once. Nothing was done." }]);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return;
  const fields = body as Record<string, unknown>;
  const sent = fields["dryRun"];
  if (asked === undefined) {
    if (typeof sent === "boolean") query["dryRun"] = `${sent}`;
    return;
  }
  const wanted = ["true", "1"].includes(asked) || (["false", "0"].includes(asked) ? false : asked);
  if (wanted !== false) fields["dryRun"] = wanted;
  else if (sent === true) query["dryRun"] = "true";
}
