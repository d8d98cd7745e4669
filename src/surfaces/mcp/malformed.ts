import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  JSONRPCMessageSchema,
  JSONRPCRequestSchema,
  ListToolsRequestSchema,
  PingRequestSchema,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";

/** A JSON-RPC error response. `id` is null if the message has no recognizable one. */
export type ProtocolError = { jsonrpc: "2.0"; id: RequestId | null; error: { code: number; message: string } };

const schemas = {
  initialize: InitializeRequestSchema,
  ping: PingRequestSchema,
  "tools/list": ListToolsRequestSchema,
  "tools/call": CallToolRequestSchema,
};

const fields = ["jsonrpc", "id", "method", "params"];
const callForm = 'Expected params like {"name": "list_leads", "arguments": {"limit": 10}}; tools/list lists the tools.';

/**
 * Explains to the client's author what is wrong with a message; null if it follows the protocol. The SDK would return
 * its validator's dump, or leave a client waiting.
 */
export function malformed(message: unknown): ProtocolError | null {
  if (Array.isArray(message))
    // Removed from the protocol in 2025-06-18. Here, they would bypass the limit for a request.
    return protocolError(null, ErrorCode.InvalidRequest, "Batches are not supported. Send each message separately.");
  if (!isObject(message))
    return protocolError(
      null,
      ErrorCode.InvalidRequest,
      "Expected a JSON-RPC message: an object with jsonrpc and method.",
    );
  const { id, jsonrpc, method, params } = message;
  const isId = typeof id === "string" || Number.isSafeInteger(id);
  const refused = (code: ErrorCode, text: string) => protocolError(isId ? (id as RequestId) : null, code, text);
  if (jsonrpc !== "2.0") return refused(ErrorCode.InvalidRequest, 'Expected "jsonrpc": "2.0".');
  if (method === undefined && ("result" in message || "error" in message))
    // A response of the client.
    return JSONRPCMessageSchema.safeParse(message).success
      ? null
      : refused(ErrorCode.InvalidRequest, "Expected a JSON-RPC response with `id` and either `result` or `error`.");
  const stray = Object.keys(message).find((name) => !fields.includes(name));
  if (stray !== undefined)
    return refused(
      ErrorCode.InvalidRequest,
      `Unknown field \`${stray.slice(0, 100)}\`. Expected ${fields.join(", ")}.`,
    );
  if (typeof method !== "string") return refused(ErrorCode.InvalidRequest, "Expected `method` to be a string.");
  if (id !== undefined && !isId)
    return refused(ErrorCode.InvalidRequest, "Expected `id` to be a string or an integer.");
  if (params !== undefined && !isObject(params))
    return refused(ErrorCode.InvalidParams, `Expected \`params\` to be an object.${hintFor(method)}`);
  const problem = id === undefined ? null : problemOf(method, message);
  return problem === null ? null : refused(ErrorCode.InvalidParams, `${problem}${hintFor(method)}`);
}

export function protocolError(id: RequestId | null, code: number, message: string): ProtocolError {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** Returns the first field of a request that does not follow the protocol. */
function problemOf(method: string, message: object): string | null {
  const own = Object.hasOwn(schemas, method) ? [schemas[method as keyof typeof schemas]] : [];
  const issue = [JSONRPCRequestSchema, ...own]
    .map((schema) => schema.safeParse(message).error?.issues[0])
    .find(Boolean);
  if (issue === undefined) return null;
  const path = issue.path.map(String).join(".") || "message";
  const expected = "expected" in issue ? (words[String(issue.expected)] ?? String(issue.expected)) : null;
  return `Invalid ${method}: expected \`${path}\` to be ${expected ?? "as the protocol defines it"}.`;
}

const words: Readonly<Record<string, string>> = {
  string: "a string",
  object: "an object",
  record: "an object",
  array: "a list",
  number: "a number",
};

function hintFor(method: string): string {
  return method === "tools/call" ? ` ${callForm}` : "";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
