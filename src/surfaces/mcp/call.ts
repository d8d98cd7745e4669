import type { CallToolResult } from "@modelcontextprotocol/server";
import { ApiError } from "../../platform/base/errors.ts";
import { errorBody } from "../../platform/http/error-body.ts";
import { answered, refused, resultOf } from "./answer.ts";
import { lookRequestOf, requestOf, type ApiRequest, type Arguments } from "./request.ts";
import { withToolNames } from "./tool-names.ts";
import type { Tool } from "./tools.ts";

export type CallParts = {
  tools: ReadonlyMap<string, Tool>;
  /** Default user to act as with a global key; a call can name another. */
  userId: string | null;
  /** Sends a request to the API with the caller's key. */
  send: (request: ApiRequest, signal: AbortSignal) => Promise<Response>;
  /** Clock for the time in errors. */
  now: () => string;
};

const dryRunNote = "This was a dry run: nothing was stored, sent, or charged.";

/** Calls a tool. Without `dryRun: false`, tools that send or cost something only show what would happen. */
export async function call(
  tool: Tool,
  given: Arguments,
  { tools, userId, send, now }: CallParts,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const named = (text: string) => withToolNames(text, tools.values());
  const args = userId !== null && tool.actsFor === "user" ? { userId, ...given } : given;
  const { dryRun } = tool.spec;
  const isDryRun = dryRun !== undefined && args["dryRun"] !== false;
  try {
    const request = requestOf(tool, args);
    if (!isDryRun || dryRun === "route")
      return await resultOf(tool, await send(request, signal), named, isDryRun ? dryRunNote : "");
    const response = await send(lookRequestOf(dryRun.look, args), signal);
    if (!response.ok) return await resultOf(tool, response, named, "");
    const { data } = (await response.json()) as { data: unknown };
    return answered({ dryRun: true, message: dryRun.effect, data }, named, dryRunNote);
  } catch (error) {
    if (error instanceof ApiError) return refused(tool, errorBody(error, now(), ""), named);
    throw error;
  }
}
