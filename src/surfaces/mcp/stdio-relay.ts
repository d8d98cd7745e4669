import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/server";
import { errorCode } from "./json-rpc.ts";
import { eachLine } from "./lines.ts";
import { malformed, protocolError, type ProtocolError } from "./malformed.ts";

/** Sends a request to the MCP endpoint of a server. Throws if the server is unreachable. */
export type Endpoint = (init: RequestInit) => Promise<Response>;

/**
 * Relays messages between standard input and output and a server, until the input ends (pending requests still get
 * responses) or `stop` is aborted. `reopen` finds the server again after a restart. Only protocol messages go to
 * standard output; `log` gets everything else.
 */
export async function relayStdio(
  first: Endpoint,
  reopen: () => Promise<Endpoint>,
  log: (text: string) => void,
  stop: AbortSignal,
): Promise<void> {
  const relay = new Relay(first, reopen);
  const pending = new Set<Promise<void>>();

  async function pass(line: Uint8Array): Promise<void> {
    const message = messageIn(line);
    const refusal = message instanceof Error ? notJson(message) : malformed(message);
    if (refusal !== null) log(`Not a protocol message: ${refusal.error.message}`);
    const answer = refusal ?? (await relay.answer(message as JSONRPCMessage));
    if (answer !== null) await write(answer);
  }

  const end = Promise.withResolvers<void>();
  stop.addEventListener("abort", () => end.resolve());
  const close = eachLine(process.stdin, end.resolve, (line) => {
    const passing = pass(line).finally(() => pending.delete(passing));
    pending.add(passing);
  });
  await end.promise;
  if (stop.aborted) relay.cancelAll();
  await Promise.all(pending);
  close();
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function messageIn(line: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(line));
  } catch (error) {
    return error instanceof SyntaxError ? error : new SyntaxError("it is not UTF-8");
  }
}

function notJson({ message }: Error): ProtocolError {
  return protocolError(null, errorCode.parse, `Invalid JSON: ${message}.`);
}

/** Resolves when there is room for more. */
function write(answer: JSONRPCMessage | ProtocolError): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (process.stdout.write(`${JSON.stringify(answer)}\n`)) resolve();
  else process.stdout.once("drain", resolve);
  return promise;
}

class Relay {
  #endpoint: Endpoint;
  readonly #reopen: () => Promise<Endpoint>;
  readonly #running = new Map<RequestId, AbortController>();

  constructor(first: Endpoint, reopen: () => Promise<Endpoint>) {
    this.#endpoint = first;
    this.#reopen = reopen;
  }

  /** Returns the response to a message; null if it needs none. Never throws. */
  async answer(message: JSONRPCMessage): Promise<JSONRPCMessage | null> {
    // The server has no sessions, so only the owner of the connection can cancel a request.
    if ("method" in message && message.method === "notifications/cancelled")
      this.#running.get(message.params?.["requestId"] as RequestId)?.abort();
    if (!isRequest(message)) return null;
    const controller = new AbortController();
    this.#running.set(message.id, controller);
    try {
      return await this.#ask(message, controller.signal);
    } catch (error) {
      return controller.signal.aborted ? null : unanswered(message, error);
    } finally {
      this.#running.delete(message.id);
    }
  }

  cancelAll(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  async #ask(message: JSONRPCRequest, signal: AbortSignal): Promise<JSONRPCMessage> {
    const response = await this.#send(message, signal);
    const body: unknown = await response.json();
    return isJsonRpc(body) ? body : refused(message, body as { code?: string; message?: string });
  }

  /** A restarted server has another address and another local key. Neither failure had any effect. */
  async #send(message: JSONRPCRequest, signal: AbortSignal): Promise<Response> {
    const init = {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headersFor(message),
      },
      body: JSON.stringify(message),
      signal,
    };
    try {
      const response = await this.#endpoint(init);
      if (response.status !== 401) return response;
    } catch (error) {
      if (!neverArrived(error)) throw error;
    }
    this.#endpoint = await this.#reopen();
    return this.#endpoint(init);
  }
}

/** Since revision 2026-07-28, a request over HTTP repeats in headers what its message says. */
function headersFor({ method, params }: JSONRPCRequest): Record<string, string> {
  const { _meta: meta, name } = params ?? {};
  const revision = meta?.["io.modelcontextprotocol/protocolVersion"];
  if (typeof revision !== "string") return {};
  return {
    "mcp-protocol-version": revision,
    "mcp-method": method,
    // Encoded, because a client may send any text as the name of a tool.
    ...(typeof name === "string" && { "mcp-name": `=?base64?${Buffer.from(name).toString("base64")}?=` }),
  };
}

function neverArrived(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && (cause.code === "ECONNREFUSED" || cause.code === "ConnectionRefused")) return true;
  return false;
}

function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return "method" in message && "id" in message;
}

function isJsonRpc(body: unknown): body is JSONRPCMessage {
  return typeof body === "object" && body !== null && "jsonrpc" in body;
}

/** An error of the endpoint itself, before the protocol: a wrong key, a rate limit, or a message that is too large. */
function refused(
  request: JSONRPCRequest,
  { code = "ERROR", message = "The server refused this." }: { code?: string; message?: string },
) {
  return failed(request, `${code}: ${message}`);
}

function unanswered(request: JSONRPCRequest, error: unknown): JSONRPCMessage {
  const reason = error instanceof Error ? error.message : String(error);
  return failed(
    request,
    `${reason} If this call was supposed to change something, check whether it did before you repeat it.`,
  );
}

/** Errors of a tool call are for the model, all others for the client. */
function failed({ id, method }: JSONRPCRequest, text: string): JSONRPCMessage {
  return method === "tools/call"
    ? { jsonrpc: "2.0", id, result: { isError: true, content: [{ type: "text", text }] } }
    : { jsonrpc: "2.0", id, error: { code: -32_000, message: text } };
}
