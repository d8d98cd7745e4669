import { ApiError } from "../base/errors.ts";

/** Requests that change nothing, although their method says otherwise: their question does not fit into an address. */
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

/** Routes of the operator, who needs them just then; the protocol of MCP, whose calls are requests of their own. */
const operatorRoutes = /^(\/api\/v2\/(operations|backups)(\/|$)|\/mcp$)/;

type WriteRefusal = { message: string; retryAfterSeconds: number | null };

/** Throws SERVICE_UNAVAILABLE for a request that would change something while there is a `refusal`. */
export function requireWritable({ method }: Request, refusal: WriteRefusal | null, route: string | null): void {
  if (refusal === null || method === "GET" || method === "HEAD") return;
  if (route !== null && (operatorRoutes.test(route) || readingRoutes.has(`${method} ${route}`))) return;
  const { message, retryAfterSeconds } = refusal;
  throw new ApiError("SERVICE_UNAVAILABLE", { message, ...(retryAfterSeconds !== null && { retryAfterSeconds }) });
}
