import type { AnyElysia } from "elysia";
import { StartError } from "../start-error.ts";

export type Listening = { url: string; stop(graceMs: number): Promise<void> };

/** Larger than any upload we take, so that it is always us who refuse, with a body that says why. */
const maxRequestBodySize = 2 ** 40;
/** Seconds without a byte in either direction; also ends clients that send a header at a time. */
const idleTimeout = 60;

/**
 * Listens with the app. Throws `StartError` when the address is taken or not ours.
 * Not by `app.listen`, which hands every route to Bun's router as well, twice, and then collects garbage: a tenth of a
 * start, for requests that are no faster.
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
  const { fetch } = app;
  try {
    // Without reusePort: false a second server would start on the same port and take every other request.
    return Bun.serve({ hostname, port, reusePort: false, maxRequestBodySize, idleTimeout, development: false, fetch });
  } catch (cause) {
    throw new StartError(`Can't listen on ${hostname}:${port}: ${reasonOf(cause)}.`, {
      hint: "Choose another address with --listen HOST:PORT (or OUTREACHD_LISTEN); port 0 takes any free one.",
      cause,
    });
  }
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE") return "another program listens there";
  if (code === "EACCES") return "this port needs more rights";
  return cause instanceof Error ? cause.message : String(cause);
}
