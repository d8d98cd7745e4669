import type { AnyElysia } from "elysia";
import { createBunRouteHandler } from "elysia/adapter/bun/compose";
import { StartError } from "../start-error.ts";

export type Listening = {
  url: string;
  /** Gets all routes ready, which takes some milliseconds, and makes requests cheaper from then on. */
  hasten(): void;
  stop(graceMs: number): Promise<void>;
};

/** Larger than any upload we take, so that it is always us who refuse, with a body that says why. */
const maxRequestBodySize = 2 ** 40;
/** Seconds without a byte in either direction; also ends clients that send a header at a time. */
const idleTimeout = 60;

/**
 * Listens with an app. Throws `StartError` when the address is taken or not ours.
 * At first it has no more than the routes of `app`. With the first other request, or `hasten`, come those of `wholeApp`,
 * which answers the same app with all of them. Not by `app.listen`, which hands every route to Bun's router, twice, puts
 * the app's own router together, and collects garbage each time: a third of a start.
 */
export function listen(
  app: AnyElysia,
  wholeApp: () => AnyElysia,
  { host, port }: { host: string; port: number },
): Listening {
  const { server, options } = serve(host, port, {
    fetch: (request) => wholeApp().fetch(request),
    routes: routesOf(app),
  });
  // Handlers find it here.
  app.server = server;
  const name = host.includes(":") ? `[${host}]` : host === "0.0.0.0" ? "127.0.0.1" : host;
  return {
    url: `http://${name}:${server.port}`,
    hasten: () => void server.reload({ ...options, fetch: wholeApp().fetch, routes: routesOf(app) }),
    async stop(graceMs) {
      // Takes no new connections and waits for running requests; those that take too long are cut off.
      const cut = setTimeout(() => void server.stop(true), graceMs);
      await server.stop();
      clearTimeout(cut);
    },
  };
}

type Handling = { fetch: Handle; routes: Record<string, Record<string, Handle>> };

function serve(hostname: string, port: number, handling: Handling) {
  // Without reusePort: false a second server would start on the same port and take every other request.
  const options = {
    hostname,
    port,
    reusePort: false,
    maxRequestBodySize,
    idleTimeout,
    development: false,
    ...handling,
  };
  try {
    return { server: Bun.serve(options), options };
  } catch (cause) {
    throw new StartError(`Can't listen on ${hostname}:${port}: ${reasonOf(cause)}.`, {
      hint: "Choose another address with --listen HOST:PORT (or OUTREACHD_LISTEN); port 0 takes any free one.",
      cause,
    });
  }
}

type Handle = (request: Request) => Response | Promise<Response>;

/** For Bun's router, which is faster than the app's; what it has no route for still goes to the app. */
function routesOf(app: AnyElysia): Handling["routes"] {
  const routes: Handling["routes"] = {};
  for (const route of app.router.history) {
    if (route.method === "ALL" || route.path.endsWith("*")) continue;
    let handle: Handle | null = null;
    const methods = (routes[route.path.replace(/(.)\/$/, "$1")] ??= {});
    methods[route.method] ??= (request) => (handle ??= createBunRouteHandler(app, route) as Handle)(request);
  }
  return routes;
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE") return "another program listens there";
  if (code === "EACCES") return "this port needs more rights";
  return cause instanceof Error ? cause.message : String(cause);
}
