import type { RequestId } from "@modelcontextprotocol/server";
import { errorCode } from "./json-rpc.ts";

/** A JSON-RPC error response. `id` is null if the message has no recognizable one. */
export type ProtocolError = { jsonrpc: "2.0"; id: RequestId | null; error: { code: number; message: string } };

const fields = ["jsonrpc", "id", "method", "params"];
const callForm = 'Expected params like {"name": "list_leads", "arguments": {"limit": 10}}; tools/list lists the tools.';

/**
 * Explains to the client's author why a message is not JSON-RPC; null if it is. It does not use the library, so that
 * `outreachd mcp` starts without it.
 */
export function malformed(message: unknown): ProtocolError | null {
  if (Array.isArray(message))
    // Removed from the protocol in 2025-06-18. Here, they would bypass the limit for a request.
    return protocolError(null, errorCode.invalidRequest, "Batches are not supported. Send each message separately.");
  if (!isObject(message))
    return protocolError(
      null,
      errorCode.invalidRequest,
      "Expected a JSON-RPC message: an object with jsonrpc and method.",
    );
  const { id, jsonrpc, method, params } = message;
  const isId = typeof id === "string" || Number.isSafeInteger(id);
  const refused = (code: number, text: string) => protocolError(isId ? (id as RequestId) : null, code, text);
  if (jsonrpc !== "2.0") return refused(errorCode.invalidRequest, 'Expected "jsonrpc": "2.0".');
  if (method === undefined && ("result" in message || "error" in message))
    // A response of the client.
    return isId && isOutcome(message)
      ? null
      : refused(errorCode.invalidRequest, "Expected a JSON-RPC response with `id` and either `result` or `error`.");
  const stray = Object.keys(message).find((name) => !fields.includes(name));
  if (stray !== undefined)
    return refused(
      errorCode.invalidRequest,
      `Unknown field \`${stray.slice(0, 100)}\`. Expected ${fields.join(", ")}.`,
    );
  if (typeof method !== "string") return refused(errorCode.invalidRequest, "Expected `method` to be a string.");
  if (id !== undefined && !isId)
    return refused(errorCode.invalidRequest, "Expected `id` to be a string or an integer.");
  if (params !== undefined && !isObject(params))
    return refused(errorCode.invalidParams, `Expected \`params\` to be an object.${hintFor(method)}`);
  return null;
}

export function protocolError(id: RequestId | null, code: number, message: string): ProtocolError {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

export function hintFor(method: string): string {
  return method === "tools/call" ? ` ${callForm}` : "";
}

function isOutcome({ result, error }: Record<string, unknown>): boolean {
  if (error === undefined) return isObject(result);
  return (
    result === undefined && isObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string"
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
