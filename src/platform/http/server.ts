import type { AnyElysia } from "elysia";
import { createBunRouteHandler } from "elysia/adapter/bun/compose";
import { StartError } from "../base/start-error.ts";
import { routesOf, wholeApp } from "./late-routes.ts";

export type Listening = {
  url: string;
  stop(graceMs: number): Promise<void>;
};

/** Larger than any upload we take, so that it is always us who refuse, with a body that says why. */
const maxRequestBodySize = 2 ** 40;
/** Seconds without a byte in either direction; also ends clients that send a header at a time. */
const idleTimeout = 60;

/**
 * Listens with an app that has all of its routes. Throws `StartError` when the address is taken or not ours.
 * Not by `app.listen`, which hands every route to Bun's router, twice, puts the app's own router together, which only
 * unknown paths come to, and collects garbage each time: a fifth of a start.
 */
export function listen(app: AnyElysia, { host, port }: { host: string; port: number }): Listening {
  const server = serve(app, host, port);
  // Handlers find it here.
  app.server = server;
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

function serve(app: AnyElysia, hostname: string, port: number) {
  try {
    return Bun.serve({
      hostname,
      port,
      // Otherwise a second server would start on the same port and take every other request.
      reusePort: false,
      maxRequestBodySize,
      idleTimeout,
      development: false,
      routes: bunRoutesOf(app),
      fetch: (request) => wholeApp(app).fetch(request),
    });
  } catch (cause) {
    throw new StartError(`Can't listen on ${hostname}:${port}: ${reasonOf(cause)}.`, {
      hint: "Choose another address with --listen HOST:PORT (or OUTREACHD_LISTEN); port 0 takes any free one.",
      cause,
    });
  }
}

type Handle = (request: Request) => Response | Promise<Response>;

/** For Bun's router, which is faster than the app's; what it has no route for still goes to the app. */
function bunRoutesOf(app: AnyElysia): Record<string, Record<string, Handle>> {
  const routes: Record<string, Record<string, Handle>> = {};
  for (const route of routesOf(app)) {
    if (route.method === "ALL" || route.path.endsWith("*")) continue;
    let handle: Handle | null = null;
    const methods = (routes[route.path.replace(/(.)\/$/, "$1")] ??= {});
    methods[route.method] ??= (request) => (handle ??= createBunRouteHandler(app, route.take()) as Handle)(request);
  }
  return routes;
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE") return "another program listens there";
  if (code === "EACCES") return "this port needs more rights";
  return cause instanceof Error ? cause.message : String(cause);
}
