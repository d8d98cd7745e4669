import type { Config } from "../../app/config/config.ts";
import { ApiError } from "../../platform/base/errors.ts";
import { apiVersion, errorBody } from "../../platform/http/error-body.ts";

/** A restore takes a few minutes at most. */
const retryAfterSeconds = 60;
const message = "The server is in maintenance mode: a backup is being restored. Try again in a minute.";

/**
 * Responds at the server's address, while the server is stopped, until the returned function is called: health reports
 * `maintenance`, everything else is 503 with Retry-After. Requests are not authenticated, so responses reveal nothing
 * else. Does nothing if the address is in use, for example by the server of another data directory.
 */
export function answerWhileRestoring({ listen }: Pick<Config, "listen">): () => void {
  try {
    const server = Bun.serve({ hostname: listen.host, port: listen.port, reusePort: false, fetch: answer });
    return () => void server.stop(true);
  } catch {
    return () => {};
  }
}

function answer({ url }: Request): Response {
  const { origin, pathname } = new URL(url);
  const timestamp = new Date().toISOString();
  const headers = { "cache-control": "no-store", "x-server-status": "maintenance" };
  if (pathname === "/healthz") return Response.json({ status: "ok" }, { headers });
  if (pathname === "/api/v2/health") {
    const nobody = { authentication: "global", user: null, apiKey: { name: null, permissions: [], usageCount: 0 } };
    const report = { version: apiVersion, status: "maintenance", message, ...nobody, timestamp, simulation: false };
    return Response.json(report, { headers });
  }
  const refusal = new ApiError("SERVICE_UNAVAILABLE", { message, retryAfterSeconds });
  return Response.json(errorBody(refusal, timestamp, origin), {
    status: refusal.status,
    headers: { ...headers, "retry-after": `${retryAfterSeconds}` },
  });
}
