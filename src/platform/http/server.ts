import { Elysia } from "elysia";
import { createBunRouteHandler } from "elysia/adapter/bun/compose";
import { StartError } from "../base/start-error.ts";
import type { Connection, Pipeline } from "./pipeline.ts";
import type { Route, RouteTable } from "./routes.ts";

export type Listening = {
  url: string;
  stop(graceMs: number): Promise<void>;
};

/** Larger than any upload we take, so that it is always us who refuse, with a body that says why. */
const maxRequestBodySize = 2 ** 40;
/** Seconds without a byte in either direction; also ends clients that send a header at a time. */
const idleTimeout = 60;

/**
 * Listens with all routes of the table. Throws `StartError` if the address is taken or not ours. This file is the only
 * one that knows Elysia's internals: instead of `app.listen`, which compiles every route at start and gives each to Bun's
 * router twice (a fifth of a start), each route is compiled by its first request.
 */
export function listen(
  table: RouteTable,
  pipeline: Pipeline,
  { host, port }: { host: string; port: number },
): Listening {
  const server = serve(table, pipeline, host, port);
  const name = host.includes(":") ? `[${host}]` : host === "0.0.0.0" ? "127.0.0.1" : host;
  return {
    url: `http://${name}:${server.port}`,
    async stop(graceMs) {
      // Takes no new connections and waits for running requests; those that take too long are cut off.
      const cut = setTimeout(() => void server.stop(true), graceMs);
      await server.stop();
      clearTimeout(cut);
    },
  };
}

function serve(table: RouteTable, pipeline: Pipeline, hostname: string, port: number) {
  try {
    return Bun.serve({
      hostname,
      port,
      // Otherwise a second server would start on the same port and take every other request.
      reusePort: false,
      maxRequestBodySize,
      idleTimeout,
      development: false,
      routes: bunRoutesOf(table, pipeline),
      // What Bun's router has no route for: other methods, trailing slashes, unknown paths.
      fetch: (request, connection) => pipeline.dispatch(request, connection),
    });
  } catch (cause) {
    throw new StartError(`Can't listen on ${hostname}:${port}: ${reasonOf(cause)}.`, {
      hint: "Choose another address with --listen HOST:PORT (or OUTREACHD_LISTEN); port 0 takes any free one.",
      cause,
    });
  }
}

type Handle = (request: Request, connection: Connection) => Response | Promise<Response>;

/** For Bun's router, which is faster than Elysia's. */
function bunRoutesOf({ routes }: RouteTable, pipeline: Pipeline): Record<string, Record<string, Handle>> {
  const byPath: Record<string, Record<string, Handle>> = {};
  for (const route of routes) {
    if (route.path.endsWith("*")) continue;
    let handle: Handle | null = null;
    const methods = (byPath[route.path.replace(/(.)\/$/, "$1")] ??= {});
    methods[route.method] ??= (request, connection) => {
      handle ??= compiled(route, pipeline, connection);
      return handle(request, connection);
    };
  }
  return byPath;
}

/** One route of Elysia: the pipeline reads, validates, and renders, so Elysia only routes. */
function compiled(route: Route, pipeline: Pipeline, connection: Connection): Handle {
  const app = new Elysia().route(
    route.method,
    route.path,
    ({ request, params }) => pipeline.handle(route, request, params, connection),
    { config: {}, parse: "none" },
  );
  const [registered] = app.router.history;
  return createBunRouteHandler(app, registered!) as Handle;
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE") return "another program listens there";
  if (code === "EACCES") return "this port needs more rights";
  return cause instanceof Error ? cause.message : String(cause);
}
