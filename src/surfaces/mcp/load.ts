import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { createMcpServer, type McpParts } from "./server.ts";

export { schemaError } from "./schema-error.ts";
export { toolsOf } from "./tools.ts";

/** Handles a message of a client whose body has been read, in the revision of the protocol that the client speaks. */
export async function answerMessage(request: Request, parsedBody: unknown, parts: McpParts): Promise<Response> {
  if (await isLegacyRequest(request, parsedBody)) return answerBefore2026(request, parsedBody, parts);
  // Nothing changes here that a client could subscribe to.
  const handler = createMcpHandler(() => createMcpServer(parts), { legacy: "reject", maxSubscriptions: 0 });
  return handler.fetch(request, { parsedBody });
}

/** Before revision 2026-07-28. The library's own handler would answer these clients with event streams. */
async function answerBefore2026(request: Request, parsedBody: unknown, parts: McpParts): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = createMcpServer(parts);
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}
