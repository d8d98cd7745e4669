const allowedHeaders =
  "authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, mcp-method, mcp-name, mcp-protocol-version, x-api-key, x-request-id";
const exposedHeaders =
  "etag, idempotent-replayed, location, ratelimit, ratelimit-policy, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-request-id, www-authenticate";

/**
 * The CORS headers (Fetch standard) of the response; none that allow access if the origin is not in `origins`. Credentials
 * are never allowed: a page from another origin must send an API key in a header.
 */
export function corsHeaders(request: Request, origins: readonly string[]): Record<string, string> {
  const origin = request.headers.get("origin");
  if (origin === null || origins.length === 0) return {};
  const isAny = origins.includes("*");
  if (!isAny && !origins.includes(origin)) return { vary: "origin" };
  return {
    "access-control-allow-origin": isAny ? "*" : origin,
    "access-control-expose-headers": exposedHeaders,
    vary: "origin",
  };
}

/** The response to a preflight request; null for any other request. */
export function preflight(request: Request, origins: readonly string[]): Response | null {
  if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) return null;
  const headers = corsHeaders(request, origins);
  if (headers["access-control-allow-origin"] === undefined) return new Response(null, { status: 403, headers });
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers": allowedHeaders,
      "access-control-max-age": "7200",
    },
  });
}
