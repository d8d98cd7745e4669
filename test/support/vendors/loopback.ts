import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a vendor does in the place of its answers, when a test wants it to be out of order. */
export const disorders = ["html", "wrongJson", "missingFields", "huge", "failing", "broken", "hanging"] as const;
export type Disorder = (typeof disorders)[number];

export type Recorded = { method: string; path: string; headers: Headers; body: Uint8Array };

/** A vendor on this machine. `await using` ends it with its connections. */
export type Loopback = {
  url: string;
  requests: Recorded[];
  /** From now on it does this in the place of its answers, to all requests or to some; null: it is in order again. */
  breakWith(disorder: Disorder | null, when?: (request: Recorded) => boolean): void;
  /** Resolves when a request has arrived that will never be answered. */
  hasHung(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Serves `answer`; every request is recorded before it is answered. */
export async function startLoopback(answer: (request: Recorded) => Response | Promise<Response>): Promise<Loopback> {
  const requests: Recorded[] = [];
  let disorder: Disorder | null = null;
  let isAffected: (request: Recorded) => boolean = () => true;
  let tellHung = (): void => {};
  const hung = new Promise<void>((resolve) => {
    tellHung = resolve;
  });

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const recorded = await recordOf(incoming);
    requests.push(recorded);
    if (disorder === null || !isAffected(recorded)) await write(await answer(recorded), outgoing);
    else if (disorder === "hanging") tellHung();
    else disordered[disorder](outgoing);
  }

  const server = createServer((incoming, outgoing) => {
    outgoing.on("error", () => {});
    serve(incoming, outgoing).catch((error: unknown) => {
      outgoing.writeHead(599).end(String(error)); // a mistake of the test's own, for it to see
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // always that, when it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    breakWith(next, when = () => true) {
      disorder = next;
      isAffected = when;
    },
    hasHung: () => hung,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function recordOf(incoming: IncomingMessage): Promise<Recorded> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array); // without an encoding a stream gives bytes
  const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  return { method: incoming.method ?? "", path: incoming.url ?? "", headers, body: Buffer.concat(chunks) };
}

async function write(answer: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  outgoing.end(Buffer.from(await answer.arrayBuffer()));
}

const json = { "content-type": "application/json" };
const disordered: Record<Exclude<Disorder, "hanging">, (outgoing: ServerResponse) => void> = {
  html: (outgoing) =>
    outgoing.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Welcome</title><h1>Log in"),
  wrongJson: (outgoing) => outgoing.writeHead(200, json).end('{"object": "Profile", "provider_id": '),
  missingFields: (outgoing) => outgoing.writeHead(200, json).end('{"hello": "world"}'),
  huge: (outgoing) => {
    outgoing.writeHead(200, json);
    sendSpaces(outgoing, 200 * 2 ** 20);
  },
  failing: (outgoing) => outgoing.writeHead(502).end("upstream connect error"),
  broken: (outgoing) => {
    outgoing.writeHead(200, { ...json, "content-length": "100" });
    outgoing.write('{"obj', () => outgoing.destroy());
  },
};

function sendSpaces(outgoing: ServerResponse, bytes: number): void {
  if (outgoing.destroyed) return;
  if (bytes <= 0) return void outgoing.end();
  const goOn = (): void => sendSpaces(outgoing, bytes - 65_536);
  if (outgoing.write(Buffer.alloc(65_536, " "))) setImmediate(goOn);
  else outgoing.once("drain", goOn);
}

export function jsonIn({ body }: Recorded): Record<string, unknown> {
  return JSON.parse(Buffer.from(body).toString("utf8")) as Record<string, unknown>; // what is no object fails the test
}

export async function formIn({ body, headers }: Recorded): Promise<FormData> {
  const type = headers.get("content-type") ?? "";
  return await new Response(Buffer.from(body), { headers: { "content-type": type } }).formData();
}
