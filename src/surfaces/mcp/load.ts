import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { createMcpServer, type McpParts } from "./server.ts";

export { schemaError } from "./schema-error.ts";
export { toolsOf } from "./tools.ts";

/** Handles a message of a client whose body has been read. */
export async function answerMessage(request: Request, parsedBody: unknown, parts: McpParts): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = createMcpServer(parts);
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}
