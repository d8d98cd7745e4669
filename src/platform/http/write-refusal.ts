import { ApiError } from "../base/errors.ts";

/** Requests that change nothing despite their method: they send more than fits into a URL. */
export const readingRoutes: ReadonlySet<string> = new Set(
  [
    "/campaigns/{campaignId}/preview",
    "/leads/import/preview",
    "/network/accounts/{accountId}/plan",
    "/prospecting/facets",
    "/suppressions/check",
    "/voice-clones/check",
  ].map((path) => `POST /api/v2${path}`),
);

/** Routes that operators need in this situation, and MCP, whose tool calls are separate requests. */
const operatorRoutes = /^(\/api\/v2\/(operations|backups)(\/|$)|\/mcp$)/;

/** Why the server accepts no changes. `retryAfterSeconds` is null if waiting does not help. */
export type WriteRefusal = { message: string; retryAfterSeconds: number | null };

/** Throws SERVICE_UNAVAILABLE for a request that would change something. `route` is the template of its route. */
export function requireWritable(method: string, route: string | null, refusal: WriteRefusal): void {
  if (method === "GET" || method === "HEAD") return;
  if (route !== null && (operatorRoutes.test(route) || readingRoutes.has(`${method} ${route}`))) return;
  const { message, retryAfterSeconds } = refusal;
  throw new ApiError("SERVICE_UNAVAILABLE", { message, ...(retryAfterSeconds !== null && { retryAfterSeconds }) });
}
