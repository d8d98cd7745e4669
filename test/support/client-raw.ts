import { connect, type Socket } from "node:net";

export type RawAnswer = { status: number; headers: Headers; body: string };

/** What no client library lets through: bytes as they are, over a connection of their own. */
export async function sendRaw(url: string, bytes: string | Uint8Array): Promise<RawAnswer> {
  const connection = openRaw(url);
  connection.socket.write(bytes);
  const text = await connection.closed;
  return parsed(text);
}

/** A request line, headers and a body, closed with the answer. `headers` are lines as they are. */
export function rawRequest(method: string, target: string, headers: readonly string[], body = ""): string {
  return [`${method} ${target} HTTP/1.1`, "Connection: close", ...headers, "", body].join("\r\n");
}

/** An open connection; `closed` resolves with all that came back once the server has closed it. */
export function openRaw(url: string): { socket: Socket; closed: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  const closed = new Promise<string>((resolve) => {
    socket.on("error", () => {}); // a reset is an end, too; `close` follows
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
  });
  return { socket, closed };
}

function parsed(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, end === -1 ? undefined : end).split("\r\n");
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return { status: Number(statusLine.split(" ")[1] ?? 0), headers, body: end === -1 ? "" : text.slice(end + 4) };
}
