import type { TSchema } from "@sinclair/typebox";
import { Elysia, type AnyElysia } from "elysia";
import type { Caller } from "../auth/caller.ts";
import type { Permission } from "../auth/key-model.ts";
import type { Input } from "./input.ts";
import type { Access } from "./permission.ts";
import type { NameRules } from "./query-names.ts";
import type { RequestContext } from "./request-context.ts";
import { isSpecified } from "./specified-routes.ts";

/** A route as data: the pipeline, the OpenAPI document, the router, and the permission tests read the same table. */
export type Route = {
  method: string;
  /** With parameters as `:name`; `*` at the end takes every path below. */
  path: string;
  /** As documents and metrics name it: `/api/v2/leads/{leadId}`. */
  template: string;
  handler: (context: HandlerContext) => unknown;
  /** Null: anybody, without a key. */
  access: Access | null;
  /** Limit of a JSON body. Null: the body stays a stream. */
  maxBytes: number | null;
  /** A body that is not JSON reaches the handler as an ApiError in place of its value. */
  takesInvalidJson: boolean;
  params: Input<TSchema> | undefined;
  query: Input<TSchema> | undefined;
  body: Input<TSchema> | undefined;
  /** Null: no names are checked. */
  names: NameRules | null;
  /** What features declared, for the OpenAPI document. */
  hook: Hook;
};

/** What a handler gets; `feature` has Elysia infer its exact type. */
export type HandlerContext = Record<string, unknown>;

/** Who acts for whom. `brokeOff`: call it with the reason if the body of a response ends too early. */
type Acting = { caller: Caller; userId: string; brokeOff: (error: unknown) => void };
type NoUser = Omit<Acting, "userId">;

type Wanted = Permission | readonly Permission[] | null;
type OwnKey = { permission: Wanted; availableRoute: string };

/** What features declare of a route. One of the first six says who may use it; without, it is open to anybody. */
export type Hook = {
  access?: Wanted;
  bulk?: Wanted;
  ownKey?: OwnKey;
  callerOnly?: Wanted;
  message?: Wanted;
  upload?: Wanted;
  params?: Input<TSchema>;
  query?: Input<TSchema>;
  body?: Input<TSchema>;
  detail?: object;
};

/** A list of 10,000 people with everything known about them. */
const bulkBytes = 16 * 2 ** 20;

/** All routes of the server, in the order in which features added them. */
export class RouteTable {
  readonly routes: Route[] = [];
  readonly #maxBodyBytes: number;
  #tree: Node | null = null;

  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  add(method: string, path: string, handler: Route["handler"], hook: Hook): void {
    const access = accessOf(hook);
    const isBulk = hook.bulk !== undefined;
    this.routes.push({
      method,
      path,
      template: path.replaceAll(/:([^/]+)/g, "{$1}").replace(/(.)\/$/, "$1"),
      handler,
      access,
      maxBytes:
        access === null || hook.upload !== undefined ? null : Math.max(this.#maxBodyBytes, isBulk ? bulkBytes : 0),
      takesInvalidJson: hook.message !== undefined,
      params: hook.params,
      query: hook.query,
      body: hook.body,
      names: access === null || hook.message !== undefined ? null : namesOf(method, path, hook),
      hook,
    });
  }

  /** The route that takes a request, and its path parameters as sent; null if none does. */
  find(method: string, path: string): { route: Route; params: Record<string, string> } | null {
    this.#tree ??= treeOf(this.routes);
    const parts = partsOf(path);
    const route = findIn(this.#tree, parts, 0, method === "HEAD" ? "GET" : method);
    return route && { route, params: paramsOf(route, parts) };
  }

  /** The methods that a path takes, sorted; empty for an unknown path. */
  methodsOf(path: string): string[] {
    const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) => this.find(method, path)));
    if (methods.has("GET")) methods.add("HEAD");
    return [...methods].toSorted();
  }
}

/** The table as features see it: Elysia's types infer what a handler gets from what its route declares. */
export type Core = RouteTable & Partial<Pick<ReturnType<typeof routeTypes>, "~Routes">>;

/**
 * Adds the routes of a feature to the table. Typed as an Elysia app with this prefix, from which the types of clients
 * are derived (`treaty<Api>`).
 */
export function feature<Prefix extends string>(core: Core, prefix: Prefix): Feature<Prefix> {
  const adding =
    (method: string) =>
    (path: string, handler: Route["handler"], hook: Hook = {}): unknown => {
      core.add(method, prefix + path, handler, hook);
      return app;
    };
  /** PATCH does the same on every route that takes PUT: all of them change only what is sent. Clients know PUT. */
  const addingPut = (path: string, handler: Route["handler"], hook: Hook = {}): unknown => {
    adding("PATCH")(path, handler, { ...hook, detail: { ...hook.detail, hide: true } });
    return adding("PUT")(path, handler, hook);
  };
  const plugin = (server: AnyElysia): AnyElysia => server;
  const app = Object.assign(plugin, {
    get: adding("GET"),
    post: adding("POST"),
    put: addingPut,
    patch: adding("PATCH"),
    delete: adding("DELETE"),
  });
  return app as unknown as Feature<Prefix>;
}

type Feature<Prefix extends string> = ReturnType<typeof featureTypes<Prefix>>;

function featureTypes<Prefix extends string>(prefix: Prefix) {
  return new Elysia({ prefix }).use(routeTypes());
}

/** Only for its type: what a route's way to say who may use it adds to the context of its handler. */
function routeTypes() {
  const acting = (): Acting => resolvedByPipeline();
  const noUser = (): NoUser => resolvedByPipeline();
  return (
    new Elysia()
      .derive({ as: "global" }, (): { context: RequestContext } => resolvedByPipeline())
      /** Acts for a user: the key's own, or the one that a global key names. */
      .macro("access", (_permission: Wanted) => ({ resolve: acting }))
      /** As `access`, with room for thousands of items in the body. */
      .macro("bulk", (_permission: Wanted) => ({ resolve: acting }))
      /** As `access`, but only for user-specific keys; `availableRoute` is for the others. */
      .macro("ownKey", (_needed: OwnKey) => ({ resolve: acting }))
      /** Acts for no user in particular. */
      .macro("callerOnly", (_permission: Wanted) => ({ resolve: noUser }))
      /** As `callerOnly`, for a protocol that reports invalid JSON in its own way. */
      .macro("message", (_permission: Wanted) => ({ resolve: noUser }))
      /** As `access`, with the body left as a stream. */
      .macro("upload", (_permission: Wanted) => ({ resolve: acting }))
  );
}

function resolvedByPipeline(): never {
  throw new Error("The pipeline gives handlers their context");
}

/** A permission of null asks for any valid key; an absent one for none. */
function accessOf({ access, bulk, upload, ownKey, callerOnly, message }: Hook): Access | null {
  const ofUser = [access, bulk, upload].find((wanted) => wanted !== undefined);
  if (ofUser !== undefined) return { permission: ofUser, actsFor: "user" };
  if (ownKey !== undefined) return { ...ownKey, actsFor: "ownKey" };
  const ofCaller = [callerOnly, message].find((wanted) => wanted !== undefined);
  return ofCaller === undefined ? null : { permission: ofCaller, actsFor: "caller" };
}

function namesOf(method: string, path: string, { query, body }: Hook): NameRules {
  // Searched for when a request has one: walking through all schemas would take long at each start.
  let known: boolean | undefined;
  return {
    query: Object.keys((query?.schema["properties"] as object | undefined) ?? {}),
    body: body?.schema ?? null,
    isStrict: !isSpecified(method, path),
    hasDryRun: () => (known ??= JSON.stringify([query?.schema, body?.schema]).includes('"dryRun"')),
  };
}

/** `routes` by method, those in `rest` for every path below this place. */
type Node = { next: Map<string, Node>; anyNext: Node | null; routes: Map<string, Route>; rest: Map<string, Route> };

function treeOf(routes: readonly Route[]): Node {
  const root = node();
  for (const route of routes) {
    const parts = partsOf(route.path);
    const hasRest = parts.at(-1) === "*";
    let place = root;
    for (const part of hasRest ? parts.slice(0, -1) : parts)
      place = part.startsWith(":") ? (place.anyNext ??= node()) : child(place, part);
    (hasRest ? place.rest : place.routes).set(route.method, route);
  }
  return root;
}

function findIn(place: Node, parts: readonly string[], index: number, method: string): Route | null {
  const part = parts[index];
  if (part === undefined) return place.routes.get(method) ?? null;
  const exact = place.next.get(part);
  const found = exact === undefined ? null : findIn(exact, parts, index + 1, method);
  const any = found ?? (place.anyNext && findIn(place.anyNext, parts, index + 1, method));
  return any ?? place.rest.get(method) ?? null;
}

function paramsOf(route: Route, parts: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, name] of partsOf(route.path).entries())
    if (name.startsWith(":")) params[name.slice(1)] = decoded(parts[index] ?? "");
  return params;
}

/** As it is if it is not valid percent encoding. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function partsOf(path: string): string[] {
  const parts = path.split("/");
  if (parts.length > 2 && parts.at(-1) === "") parts.pop();
  return parts;
}

function child(place: Node, part: string): Node {
  const existing = place.next.get(part) ?? node();
  place.next.set(part, existing);
  return existing;
}

function node(): Node {
  return { next: new Map(), anyNext: null, routes: new Map(), rest: new Map() };
}
