import type { TSchema } from "@sinclair/typebox";
import { Elysia, type AnyElysia } from "elysia";
import { invalid } from "../base/errors.ts";
import type { Core } from "./core.ts";
import type { Input } from "./input.ts";
import { addRoute, type Route } from "./late-routes.ts";
import { checkNames, noDryRun } from "./query-names.ts";
import { isSpecified } from "./specified-routes.ts";
import { warn } from "./warnings.ts";

/**
 * What a feature adds its routes to: as `new Elysia({ prefix }).use(core)`, and of that type, but it only notes them down.
 * The app that uses it, and `core`, takes them in. An Elysia of its own would work out the hooks of each route, and the
 * app around it would do so again: a sixth of a start.
 */
export function feature<Prefix extends string>(_core: Core, prefix: Prefix): Feature<Prefix> {
  const routes: Route[] = [];
  function plugin(app: AnyElysia): AnyElysia {
    for (const route of routes) addRoute(app, route);
    return app;
  }
  const noting =
    (method: string) =>
    (path: string, handle: Route[2], hook: Route[3] = {}): unknown => {
      routes.push([method, prefix + path, handle, checked(method, prefix + path, hook)]);
      return notes;
    };
  /** PATCH does the same on every route that takes PUT: all of them change only what is sent. Clients know it by PUT. */
  const notingPut = (path: string, handle: Route[2], hook: HookWithDetail = {}): unknown => {
    noting("PATCH")(path, handle, { ...hook, detail: { ...hook.detail, hide: true } });
    return noting("PUT")(path, handle, hook);
  };
  const notes = Object.assign(plugin, {
    get: noting("GET"),
    post: noting("POST"),
    put: notingPut,
    patch: noting("PATCH"),
    delete: noting("DELETE"),
  });
  return notes as unknown as Feature<Prefix>;
}

type HookWithDetail = Route[3] & { detail?: object };
type Hook = { query?: Input<TSchema>; body?: Input<TSchema>; beforeHandle?: unknown };
type Checked = { request: Request; query: Record<string, unknown>; body: unknown };

/** The ways of `core` to say who may use a route; those without one are probes, to which anything may be added. */
const secured = ["access", "bulk", "ownKey", "callerOnly", "upload"];

/** Lets through only what the route can heed: nothing must be ignored in silence, or done that was not meant. */
function checked(method: string, path: string, hook: Hook): Route[3] {
  if (!secured.some((name) => name in hook)) return hook;
  const taken = {
    query: namesIn(hook.query?.schema),
    body: hook.body?.schema ?? null,
    isStrict: !isSpecified(method, path),
  };
  // Looked for when somebody asks for one: to walk through all schemas would take long at each start.
  let known: boolean | undefined;
  const hasDryRun = () => (known ??= JSON.stringify([hook.query?.schema, hook.body?.schema]).includes('"dryRun"'));
  function check({ request, query, body }: Checked): void {
    warn(request, checkNames(query, body, taken));
    const asked = query["dryRun"];
    if (method === "GET" || asked === undefined || ["0", "false", false].includes(asked as string) || hasDryRun())
      return;
    throw invalid([{ path: "dryRun", message: noDryRun }]);
  }
  return { ...hook, beforeHandle: [hook.beforeHandle ?? [], check].flat() };
}

function namesIn(schema: TSchema | undefined): string[] {
  return Object.keys((schema?.["properties"] as object | undefined) ?? {});
}

function elysiaOf<Prefix extends string>(core: Core, prefix: Prefix) {
  return new Elysia({ prefix }).use(core);
}
type Feature<Prefix extends string> = ReturnType<typeof elysiaOf<Prefix>>;
