import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { ToolParts } from "../../app/surfaces.ts";
import { isoTime } from "../../platform/base/clock.ts";
import { ApiError } from "../../platform/base/errors.ts";
import { routes } from "../../platform/http/route.ts";
import { errorCode } from "./json-rpc.ts";
import { malformed, protocolError } from "./malformed.ts";
import type { ApiRequest } from "./request.ts";
import type { Tool } from "./tools.ts";

/**
 * The Model Context Protocol over streamable HTTP, without sessions: each message is a separate request with its own
 * key. So there is no state to store, limit, or carry across a restart, and revoking a key takes effect immediately.
 */
export function mcpEndpoint({ document, call, corsOrigins, clock }: ToolParts) {
  let tools: ReadonlyMap<string, Tool> | null = null;
  return routes("").post(
    "/mcp",
    async (context) => {
      const { caller, body, query, request } = context;
      requireOrigin(request, corsOrigins);
      // Loaded with the first message, because most servers never receive one.
      const { answerMessage, schemaError, toolsOf } = await import("./load.ts");
      const refusal =
        body instanceof ApiError
          ? protocolError(null, errorCode.parse, body.message)
          : (malformed(body) ?? schemaError(body as JSONRPCMessage));
      if (refusal !== null) return Response.json(refusal, { status: refusal.id === null ? 400 : 200 });
      tools ??= toolsOf(await document());
      // A tool may take longer than the idle timeout of a connection.
      context.setIdleTimeout(0);
      const headers = {
        "x-api-key": context.secret ?? "",
        "x-request-id": context.id,
        "user-agent": request.headers.get("user-agent") ?? "",
      };
      const send = ({ path, init }: ApiRequest, signal: AbortSignal) =>
        call(
          new Request(new URL(path, request.url), {
            ...init,
            headers: { ...init.headers, ...headers },
            signal: AbortSignal.any([signal, request.signal]),
          }),
          context,
        );
      const { userId } = query;
      return answerMessage(request, body, {
        tools,
        caller,
        userId: caller.workspaceId === null && typeof userId === "string" ? userId : null,
        send,
        now: () => isoTime(clock.now()),
      });
    },
    { message: null },
  );
}

/**
 * Browsers send the origin of the page with a POST. Only configured origins are allowed, so that neither a foreign page
 * nor one whose name was rebound to this address (DNS rebinding) gets through, whatever its Host header says.
 */
function requireOrigin({ headers }: Request, allowed: readonly string[]): void {
  const origin = headers.get("origin");
  if (origin === null || allowed.includes("*") || allowed.includes(origin)) return;
  throw new ApiError("PERMISSION_DENIED", {
    permissionHelp: { required: "*", available: [] },
    message: `Pages from ${origin} are not allowed to use this server. Its operator can allow them with --cors-origins.`,
  });
}
