import type { ToolParts } from "../../app/surfaces.ts";
import { isoTime } from "../../platform/base/clock.ts";
import { ApiError } from "../../platform/base/errors.ts";
import { feature, type Core } from "../../platform/http/routes.ts";
import { keyIn } from "../../platform/http/credentials.ts";
import type { ApiRequest } from "./request.ts";
import type { Tool } from "./tools.ts";

/** JSON-RPC 2.0, section 5.1. */
const parseError = -32_700;

/**
 * The Model Context Protocol over streamable HTTP, without sessions: each message is a request of its own, with its key.
 * So nothing has to be kept, bounded or taken along by a restart, and a key that is revoked ends it at once.
 */
export function mcpEndpoint(core: Core, { document, handle, corsOrigins, clock }: ToolParts): void {
  let tools: ReadonlyMap<string, Tool> | null = null;
  feature(core, "").post(
    "/mcp",
    async ({ caller, body, query, request, server, context }) => {
      requireOrigin(request, corsOrigins);
      // Loaded with the first message: most servers never get one.
      const { answerMessage, malformed, protocolError, toolsOf } = await import("./load.ts");
      const refusal = body instanceof ApiError ? protocolError(null, parseError, body.message) : malformed(body);
      if (refusal !== null) return Response.json(refusal, { status: refusal.id === null ? 400 : 200 });
      tools ??= toolsOf(await document());
      // A tool may take longer than a connection may be silent.
      server?.timeout(request, 0);
      const headers = {
        "x-api-key": keyIn(request.headers) ?? "",
        "x-request-id": context.id,
        "user-agent": request.headers.get("user-agent") ?? "",
      };
      const send = ({ path, init }: ApiRequest, signal: AbortSignal) =>
        handle(
          new Request(new URL(path, request.url), {
            ...init,
            headers: { ...init.headers, ...headers },
            signal: AbortSignal.any([signal, request.signal]),
          }),
          context,
        );
      const { userId } = query as { userId?: unknown };
      return answerMessage(request, body, {
        tools,
        caller,
        userId: caller.userId === null && typeof userId === "string" ? userId : null,
        send,
        now: () => isoTime(clock.now()),
      });
    },
    { message: null, detail: { hide: true } },
  );
}

/**
 * Browsers name the page that sends a POST. Only those that the configuration lists may, so that neither a foreign page
 * nor one whose name was bound to this address (DNS rebinding) gets through, whatever its Host header says.
 */
function requireOrigin({ headers }: Request, allowed: readonly string[]): void {
  const origin = headers.get("origin");
  if (origin === null || allowed.includes("*") || allowed.includes(origin)) return;
  throw new ApiError("PERMISSION_DENIED", {
    permissionHelp: { required: "*", available: [] },
    message: `Pages of ${origin} may not use this server. Its operator can allow them with --cors-origins.`,
  });
}
