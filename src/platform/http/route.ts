import type { Static, TSchema } from "@sinclair/typebox";
import type { CreateEden, DocumentDecoration } from "elysia";
import type { Access } from "../auth/access.ts";
import type { Permission } from "../auth/key-model.ts";
import type { Input } from "./input.ts";
import type { Accepted } from "./input-errors.ts";
import type { RequestContext } from "./request-context.ts";
import { isSpecified } from "./specified-routes.ts";

type Schemas = { params?: Input<TSchema>; query?: Input<TSchema>; body?: Input<TSchema> };

/**
 * How the body is read. `json`: parsed, up to the configured size; `bulk`: the same, with room for thousands of items;
 * `message`: the same, but a body that is not JSON is passed on as the error; `stream`: left to the handler.
 */
export type BodyKind = "json" | "bulk" | "message" | "stream";

/** A route as data. The pipeline, the OpenAPI document, metrics, and the MCP tools all read it. */
export type Route = Schemas & {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `:name` for parameters, and `*` at the end for any rest. */
  path: string;
  /** The path as in the OpenAPI document: `{name}` for parameters. */
  template: string;
  /** Null for public routes. */
  access: Access | null;
  bodyKind: BodyKind;
  /** Names that it accepts in its query and body. */
  accepted: Accepted;
  /** Whether `dryRun` is among them at any depth. */
  hasDryRun: () => boolean;
  handle: (context: RequestContext) => unknown;
  /** Null for routes that are not documented. */
  docs: DocumentDecoration | null;
};

type Wanted = Permission | readonly Permission[] | null;

/** At most one of `access`, `bulk`, `ownKey`, `callerOnly`, `message`, and `upload`; public without any. */
type Options = Schemas & {
  /** Acts for a user: the user of the key, or the one that a global key names. */
  access?: Wanted;
  /** Like `access`, with room for thousands of items in the body. */
  bulk?: Wanted;
  /** Like `access`, with the body left as a stream. */
  upload?: Wanted;
  /** Like `access`, but only for user-specific keys. `availableRoute` serves global keys. */
  ownKey?: { permission: Wanted; availableRoute: string };
  /** Acts for no user. */
  callerOnly?: Wanted;
  /** Like `callerOnly`, for a protocol that reports malformed JSON in its own format. */
  message?: Wanted;
  docs?: DocumentDecoration;
};

type Parsed<I, Otherwise> = I extends Input<infer T> ? Static<T> : Otherwise;
/** The request context with what the schemas of the route parsed. */
type HandlerContext<O> = RequestContext & {
  query: O extends { query: infer I } ? Parsed<I, never> : Record<string, unknown>;
  body: O extends { body: infer I } ? Parsed<I, never> : unknown;
  params: O extends { params: infer I } ? Parsed<I, never> : Record<string, string>;
};

/** A route as typed clients see it. Responses that are not JSON have no type. */
type ClientRoute<O, Result> = {
  body: O extends { body: infer I } ? Parsed<I, never> : unknown;
  query: O extends { query: infer I } ? Parsed<I, never> : unknown;
  params: O extends { params: infer I } ? Parsed<I, never> : object;
  headers: unknown;
  response: { 200: Awaited<Result> };
};

type Add<Method extends string> = <Prefix extends string, Tree, Path extends string, const O extends Options, Result>(
  this: RouteList<Prefix, Tree>,
  path: Path,
  handle: (context: HandlerContext<O>) => Result,
  options: O,
) => RouteList<Prefix, Tree & CreateEden<`${Prefix}${Path}`, Record<Lowercase<Method>, ClientRoute<O, Result>>>>;

/** Routes under a prefix. `Tree` describes them to typed clients. */
export type RouteList<Prefix extends string, Tree> = {
  readonly prefix: Prefix;
  readonly all: readonly Route[];
  /** Only a type. */
  readonly tree?: Tree;
  get: Add<"GET">;
  post: Add<"POST">;
  /** Also adds PATCH, which does the same: every PUT changes only the fields that are sent. */
  put: Add<"PUT">;
  patch: Add<"PATCH">;
  delete: Add<"DELETE">;
};

/** Starts a list of routes. Each method of the list adds a route and returns the list. */
export function routes<const Prefix extends string>(prefix: Prefix): RouteList<Prefix, unknown> {
  const all: Route[] = [];
  const add = (method: Route["method"]) => (path: string, handle: Route["handle"], options: Options) => {
    if (method === "PUT") all.push(routeOf("PATCH", prefix + path, handle, { ...options, docs: undefined }));
    all.push(routeOf(method, prefix + path, handle, options));
    return list;
  };
  const list = {
    prefix,
    all,
    get: add("GET"),
    post: add("POST"),
    put: add("PUT"),
    patch: add("PATCH"),
    delete: add("DELETE"),
  };
  return list as unknown as RouteList<Prefix, unknown>;
}

function routeOf(method: Route["method"], path: string, handle: Route["handle"], options: Options): Route {
  const { params, query, body, docs = null } = options;
  // Searched on first use: serializing all schemas would slow down each start.
  let hasDryRun: boolean | undefined;
  return {
    method,
    path: path.replace(/(.)\/$/, "$1"),
    template: path.replaceAll(/:([^/]+)/g, "{$1}").replace(/(.)\/$/, "$1"),
    access: accessOf(options),
    bodyKind: bodyKindOf(options),
    accepted: {
      query: Object.keys((query?.schema["properties"] as object | undefined) ?? {}),
      body: body?.schema ?? null,
      isStrict: !isSpecified(method, path),
    },
    hasDryRun: () => (hasDryRun ??= JSON.stringify([query?.schema, body?.schema]).includes('"dryRun"')),
    handle,
    docs,
    ...(params !== undefined && { params }),
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body }),
  };
}

function accessOf(options: Options): Access | null {
  if (options.ownKey !== undefined) return { actsFor: "ownKey", ...options.ownKey };
  // null grants access to every valid key; undefined makes the route public.
  const forUser = [options.access, options.bulk, options.upload].find((permission) => permission !== undefined);
  if (forUser !== undefined) return { actsFor: "user", permission: forUser };
  const forCaller = options.callerOnly === undefined ? options.message : options.callerOnly;
  return forCaller === undefined ? null : { actsFor: "caller", permission: forCaller };
}

function bodyKindOf(options: Options): BodyKind {
  if ("bulk" in options) return "bulk";
  if ("message" in options) return "message";
  return "upload" in options ? "stream" : "json";
}
