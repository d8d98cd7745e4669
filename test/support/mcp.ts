import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { programCommand } from "./program.ts";
import type { Service } from "./service.ts";

/** What a tool answered, with the parts that tests look at. */
export type ToolAnswer = {
  isError: boolean;
  text: string;
  // Tests know what they asked for.
  // oxlint-disable-next-line typescript/no-explicit-any
  structured: any;
  content: { type: string; data?: string; mimeType?: string }[];
};

/** A model's side of the protocol. `await using` closes it. */
export class Assistant {
  readonly client: McpClient;

  private constructor(client: McpClient) {
    this.client = client;
  }

  /** Over HTTP, with the key as x-api-key unless other headers are given. */
  static async overHttp(
    { url }: Pick<Service, "url">,
    key: string | null,
    { path = "/mcp", headers = { "x-api-key": key ?? "" } }: { path?: string; headers?: Record<string, string> } = {},
  ): Promise<Assistant> {
    const transport = new StreamableHTTPClientTransport(new URL(url + path), { requestInit: { headers } });
    return Assistant.#connected(transport);
  }

  /** Over `outreachd mcp`, as assistants on the same machine start it; what it says beside the protocol goes to `log`. */
  static async overStdio(
    args: readonly string[],
    env: Record<string, string> = {},
    log: string[] = [],
  ): Promise<Assistant> {
    const [command = "", ...program] = programCommand;
    const transport = new StdioClientTransport({
      command,
      args: [...program, "mcp", ...args],
      env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TZ: "UTC", ...env },
      stderr: "pipe",
    });
    transport.stderr?.on("data", (chunk: Buffer) => log.push(chunk.toString()));
    return Assistant.#connected(transport);
  }

  static async #connected(transport: Transport): Promise<Assistant> {
    const client = new McpClient({ name: "test", version: "1" });
    await client.connect(transport);
    return new Assistant(client);
  }

  async toolNames(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const answer = await this.client.callTool({ name, arguments: args });
    const content = answer.content as (ToolAnswer["content"][number] & { text?: string })[];
    return {
      isError: answer.isError === true,
      text: content.map(({ text = "" }) => text).join("\n"),
      structured: answer.structuredContent,
      content,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}
