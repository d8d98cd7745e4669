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

/** An answer of JSON-RPC that is a refusal. `id` is null where the message has none that could be told. */
export type ProtocolError = { jsonrpc: "2.0"; id: RequestId | null; error: { code: number; message: string } };

const schemas = {
  initialize: InitializeRequestSchema,
  ping: PingRequestSchema,
  "tools/list": ListToolsRequestSchema,
  "tools/call": CallToolRequestSchema,
};

const fields = ["jsonrpc", "id", "method", "params"];
const callForm = 'Expected params like {"name": "list_leads", "arguments": {"limit": 10}}; tools/list names the tools.';

/**
 * What is wrong with a message as such, in words for who wrote it; null when it is one of the protocol. The SDK would
 * answer its validator's dump, or leave a client waiting.
 */
export function malformed(message: unknown): ProtocolError | null {
  if (Array.isArray(message))
    // Gone from the protocol since 2025-06-18; here they would get around the limit of a request.
    return protocolError(null, ErrorCode.InvalidRequest, "Batches are not taken: send each message by itself.");
  if (!isObject(message))
    return protocolError(
      null,
      ErrorCode.InvalidRequest,
      "Send one JSON-RPC message: an object with jsonrpc and method.",
    );
  const { id, jsonrpc, method, params } = message;
  const isId = typeof id === "string" || Number.isSafeInteger(id);
  const refused = (code: ErrorCode, text: string) => protocolError(isId ? (id as RequestId) : null, code, text);
  if (jsonrpc !== "2.0") return refused(ErrorCode.InvalidRequest, 'Expected "jsonrpc": "2.0".');
  if (method === undefined && ("result" in message || "error" in message))
    // What a client answers.
    return JSONRPCMessageSchema.safeParse(message).success
      ? null
      : refused(ErrorCode.InvalidRequest, "This is no answer of JSON-RPC: expected `id`, and `result` or `error`.");
  const stray = Object.keys(message).find((name) => !fields.includes(name));
  if (stray !== undefined)
    return refused(ErrorCode.InvalidRequest, `A message has no \`${stray.slice(0, 100)}\`, only ${fields.join(", ")}.`);
  if (typeof method !== "string") return refused(ErrorCode.InvalidRequest, "Expected `method` to be a text.");
  if (id !== undefined && !isId) return refused(ErrorCode.InvalidRequest, "Expected `id` to be a text or an integer.");
  if (params !== undefined && !isObject(params))
    return refused(ErrorCode.InvalidParams, `Expected \`params\` to be an object.${hintFor(method)}`);
  const problem = id === undefined ? null : problemOf(method, message);
  return problem === null ? null : refused(ErrorCode.InvalidParams, `${problem}${hintFor(method)}`);
}

export function protocolError(id: RequestId | null, code: number, message: string): ProtocolError {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** The first field of a request that is not as the protocol has it. */
function problemOf(method: string, message: object): string | null {
  const own = Object.hasOwn(schemas, method) ? [schemas[method as keyof typeof schemas]] : [];
  const issue = [JSONRPCRequestSchema, ...own]
    .map((schema) => schema.safeParse(message).error?.issues[0])
    .find(Boolean);
  if (issue === undefined) return null;
  const path = issue.path.map(String).join(".") || "message";
  const expected = "expected" in issue ? (words[String(issue.expected)] ?? String(issue.expected)) : null;
  return `${method} can't be carried out: expected \`${path}\` to be ${expected ?? "as the protocol has it"}.`;
}

const words: Readonly<Record<string, string>> = {
  string: "a text",
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
