import { connect, createServer, type Socket } from "node:net";

/** Forwards connections on loopback to another port, and can refuse, cut, or stall them. Hold it with `await using`. */
export async function startTcpProxy(targetPort: number) {
  const sockets = new Set<Socket>();
  let isRefusing = false;
  let isStalled = false;

  const server = createServer((client) => {
    if (isRefusing) return void client.destroy();
    const upstream = connect(targetPort, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      // Forwards nothing while it is stalled, like a network that drops packets.
      from.on("data", (chunk) => void (isStalled || to.write(chunk)));
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };

  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    /** Cuts all connections and refuses new ones. */
    refuse() {
      isRefusing = true;
      cut();
    },
    /** Connections stay open, but nothing arrives. */
    stall() {
      isStalled = true;
    },
    /** Works again; stalled connections have lost what was sent meanwhile, so they are cut. */
    recover() {
      if (isStalled) cut();
      isRefusing = false;
      isStalled = false;
    },
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
