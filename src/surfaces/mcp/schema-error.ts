import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  JSONRPCRequestSchema,
  ListToolsRequestSchema,
  PingRequestSchema,
} from "@modelcontextprotocol/core";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { errorCode } from "./json-rpc.ts";
import { hintFor, protocolError, type ProtocolError } from "./malformed.ts";

const schemas = {
  initialize: InitializeRequestSchema,
  ping: PingRequestSchema,
  "tools/list": ListToolsRequestSchema,
  "tools/call": CallToolRequestSchema,
};

/**
 * Explains which field of a request does not follow the protocol; null if all do. The library would return
 * its validator's dump, or leave a client waiting.
 */
export function schemaError(message: JSONRPCMessage): ProtocolError | null {
  if (!("method" in message && "id" in message)) return null;
  const { id, method } = message;
  const problem = problemOf(method, message);
  return problem === null ? null : protocolError(id, errorCode.invalidParams, `${problem}${hintFor(method)}`);
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
