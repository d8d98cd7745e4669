import { Elysia, type AnyElysia } from "elysia";
import { createBunRouteHandler } from "elysia/adapter/bun/compose";
import { StartError } from "../base/start-error.ts";
import { basePathOf } from "../base/base-path.ts";
import { locateBelow, withoutBasePath } from "./below-base-path.ts";
import type { Pipeline } from "./pipeline.ts";
import { RequestContext, type Connection } from "./request-context.ts";
import type { RouteTable } from "./route-table.ts";
import type { Route } from "./route.ts";

export type Listening = {
  url: string;
  /**
   * Closes each connection after its next response. A proxy then opens new ones, and none to a server that has stopped; it
   * would not repeat a request that it sent into a connection that is being closed.
   */
  drain(): void;
  stop(graceMs: number): Promise<void>;
};

/** Larger than any upload that is accepted, so that the server itself refuses and explains. */
const maxRequestBodySize = 2 ** 40;
/** Seconds without traffic; also disconnects clients that trickle their headers. */
const idleTimeout = 60;

type Handler = (request: Request) => Response | Promise<Response>;
type Registered = AnyElysia["router"]["history"][number];

/**
 * The routes as an Elysia app, and the Bun server in front of it. Each route is registered with Elysia on its first
 * request: registering all takes a tenth of the startup time. For the same reason the app does not listen itself:
 * `app.listen` compiles every route twice and collects garbage. Only this file depends on how Elysia works inside.
 */
export class HttpServer implements Connection {
  readonly publicUrl: string | null;
  readonly trustedProxies: number;
  readonly onStreamError: Connection["onStreamError"];
  readonly #table: RouteTable;
  readonly #pipeline: Pick<Pipeline, "handle">;
  readonly #app: AnyElysia;
  readonly #registered = new Map<Route, Registered>();
  readonly #basePath: string;
  /** Requests as they arrived, by what they became without the base path. */
  readonly #arrived = new WeakMap<Request, Request>();
  #server: Bun.Server<undefined> | null = null;
  #isDraining = false;

  constructor(
    table: RouteTable,
    pipeline: Pick<Pipeline, "handle">,
    { publicUrl, trustedProxies, onStreamError }: Omit<Connection, "peerOf" | "setIdleTimeout">,
  ) {
    this.#table = table;
    this.#pipeline = pipeline;
    this.publicUrl = publicUrl;
    this.#basePath = basePathOf(publicUrl);
    this.trustedProxies = trustedProxies;
    this.onStreamError = onStreamError;
    // By default Elysia expects the path after the 11th character of the URL, which fails for http://crm/.
    this.#app = new Elysia({ handler: { standardHostname: false } }).onError(async ({ request }) =>
      this.#handle(request, null),
    );
  }

  /** Throws `StartError` if the address is in use or not available. */
  listen(hostname: string, port: number): Listening {
    const server = this.#serve(hostname, port);
    this.#server = server;
    const name = hostname.includes(":") ? `[${hostname}]` : hostname === "0.0.0.0" ? "127.0.0.1" : hostname;
    return {
      url: `http://${name}:${server.port}`,
      drain: () => void (this.#isDraining = true),
      async stop(graceMs) {
        // Accepts no new connections and waits for running requests, but aborts them after a time.
        const abort = setTimeout(() => void server.stop(true), graceMs);
        await server.stop();
        clearTimeout(abort);
      },
    };
  }

  /** Responds to a request without a network connection. */
  async fetch(request: Request): Promise<Response> {
    for (const route of this.#table.routes) this.#register(route);
    return this.#app.fetch(request);
  }

  /** Responds to a request that the server makes on behalf of another one. */
  call(request: Request, outer: RequestContext): Promise<Response> {
    const { route, params } = this.#table.find(request.method, new URL(request.url).pathname) ?? noMatch;
    return this.#handle(request, route, params, outer);
  }

  /** Address of the client's end of the connection; "local" without a connection. */
  peerOf(request: Request): string {
    return this.#server?.requestIP(this.#arrived.get(request) ?? request)?.address ?? "local";
  }

  setIdleTimeout(request: Request, seconds: number): void {
    this.#server?.timeout(this.#arrived.get(request) ?? request, seconds);
  }

  #serve(hostname: string, port: number): Bun.Server<undefined> {
    try {
      return Bun.serve({
        hostname,
        port,
        // Otherwise a second server would start on the same port and receive every other request.
        reusePort: false,
        maxRequestBodySize,
        idleTimeout,
        development: false,
        routes: this.#bunRoutes(),
        fetch: (request) => this.fetch(this.#basePath === "" ? request : this.#withoutBasePath(request)),
      });
    } catch (cause) {
      throw new StartError(`Cannot listen on ${hostname}:${port}: ${reasonOf(cause)}.`, {
        hint: "Choose another address with --listen HOST:PORT (or OUTREACHD_LISTEN). Port 0 selects any free port.",
        cause,
      });
    }
  }

  /** For Bun's router, which is faster than Elysia's. Everything else, such as HEAD, is left to Elysia. */
  #bunRoutes(): Record<string, Record<string, Handler>> {
    const handlers: Record<string, Record<string, Handler>> = {};
    for (const route of this.#table.routes) {
      if (route.path.endsWith("*")) continue;
      let compiled: Handler | null = null;
      const methods = (handlers[route.path] ??= {});
      methods[route.method] ??= (request) =>
        (compiled ??= createBunRouteHandler(this.#app, this.#register(route)) as Handler)(request);
    }
    return handlers;
  }

  #withoutBasePath(request: Request): Request {
    const without = withoutBasePath(request, this.#basePath);
    if (without !== request) this.#arrived.set(without, request);
    return without;
  }

  #register(route: Route): Registered {
    const registered = this.#registered.get(route);
    if (registered !== undefined) return registered;
    this.#app.route(route.method, route.path, ({ request, params }) => this.#handle(request, route, params), {
      parse: "none",
    });
    const added = this.#app.router.history.at(-1)!;
    this.#registered.set(route, added);
    return added;
  }

  #handle(
    request: Request,
    route: Route | null,
    params: Record<string, string> = {},
    outer: RequestContext | null = null,
  ): Promise<Response> {
    const match = { route: route?.template ?? null, params };
    let response = this.#pipeline.handle(new RequestContext(request, match, this, outer), route);
    if (this.#isDraining) response = response.then(closingConnection);
    return this.#basePath === "" ? response : response.then((each) => locateBelow(each, this.#basePath));
  }
}

function closingConnection(response: Response): Response {
  response.headers.set("connection", "close");
  return response;
}

const noMatch = { route: null, params: {} };

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE") return "another program is listening there";
  if (code === "EACCES") return "this port requires more privileges";
  return cause instanceof Error ? cause.message : String(cause);
}
