import type { TSchema } from "@sinclair/typebox";
import { Elysia, type AnyElysia } from "elysia";
import { invalid } from "../errors.ts";
import type { Core } from "./core.ts";
import type { Input } from "./input.ts";
import { addRoute, type Route } from "./late-routes.ts";
import { noDryRun, refuseUnknownNames } from "./query-names.ts";

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
      routes.push([method, prefix + path, handle, method === "GET" ? hook : heeding(hook)]);
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

/** Lets through only what the route can heed: it changes something, and must not do what was not meant. */
function heeding(hook: Hook): Route[3] {
  const ofQuery = namesIn(hook.query?.schema);
  const ofBody = new Set([...namesIn(hook.body?.schema), "dryRun"]);
  // Looked for when somebody asks for one: to walk through all schemas would take long at each start.
  let known: boolean | undefined;
  const hasDryRun = () => (known ??= JSON.stringify([hook.query?.schema, hook.body?.schema]).includes('"dryRun"'));
  function refuse({ query, body }: { query: Record<string, unknown>; body: unknown }): void {
    refuseUnknownNames(query, body, ofQuery, ofBody);
    const asked = query["dryRun"];
    if (asked === undefined || ["0", "false", false].includes(asked as string) || hasDryRun()) return;
    throw invalid([{ path: "dryRun", message: noDryRun }]);
  }
  return { ...hook, beforeHandle: [hook.beforeHandle ?? [], refuse].flat() };
}

function namesIn(schema: TSchema | undefined): string[] {
  return Object.keys((schema?.["properties"] as object | undefined) ?? {});
}

function elysiaOf<Prefix extends string>(core: Core, prefix: Prefix) {
  return new Elysia({ prefix }).use(core);
}
type Feature<Prefix extends string> = ReturnType<typeof elysiaOf<Prefix>>;
