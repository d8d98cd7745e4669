import { createServer, type Server, type Socket } from "node:net";

/** A peer that speaks whatever bytes a test wants. `await using` ends it with its connections. */
export type RawPeer = {
  port: number;
  url: string;
  /** What each connection has sent so far, in the order of the connections. */
  received: string[];
  /** Resolves when a connection has sent `text`. */
  hasSent(text: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** `onRequest` is called once a connection, when the head of its request is complete; without it, it never answers. */
export async function startRawPeer(onRequest: (socket: Socket) => void = () => {}): Promise<RawPeer> {
  const sockets = new Set<Socket>();
  const received: string[] = [];
  let watchers: (() => void)[] = [];
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    const index = received.push("") - 1;
    let isAnswered = false;
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (bytes: Buffer) => {
      received[index] += bytes.toString("latin1");
      for (const watch of watchers) watch();
      if (isAnswered || !received[index]!.includes("\r\n\r\n")) return;
      isAnswered = true;
      onRequest(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    received,
    hasSent: (text) =>
      new Promise((resolve) => {
        const watch = (): void => {
          if (!received.some((sent) => sent.includes(text))) return;
          watchers = watchers.filter((other) => other !== watch);
          resolve();
        };
        watchers.push(watch);
        watch();
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A self-signed certificate for the name vendor.test, good for a hundred years; it guards nothing. */
export const vendorCertificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUO5TWfmB2JxlXY0km9O40Fnde41QwCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLdmVuZG9yLnRlc3QwIBcNMjYxMTIxMTQ0MDM3WhgPMjEyNjEw
MjgxNDQwMzdaMBYxFDASBgNVBAMMC3ZlbmRvci50ZXN0MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEXPfCiR+VIXK9O8ulnDrn2QPNWyuZBR3MP8pr9ruezWsqvJtV
nLblyVbX++lVsoOve5nSWsV/bSPoiJU1IBQaWKNrMGkwHQYDVR0OBBYEFIaUNb5N
WvhdHiG7YU1oT38/HrAfMB8GA1UdIwQYMBaAFIaUNb5NWvhdHiG7YU1oT38/HrAf
MA8GA1UdEwEB/wQFMAMBAf8wFgYDVR0RBA8wDYILdmVuZG9yLnRlc3QwCgYIKoZI
zj0EAwIDSAAwRQIgT0mM3vn+P6g9cmDYJdVGllHiOk9nlvXQYTL7Ls67Nb8CIQCM
zG9DIqi/KK8c+7rt1i2Z3uGbFecPmynfaUTgZ+/m3w==
-----END CERTIFICATE-----
`,
  key: `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIOnExbJ5nNUOJ1jgmituJ2+Z1JJnyNHGEj3BkBtMj/YGoAoGCCqGSM49
AwEHoUQDQgAEXPfCiR+VIXK9O8ulnDrn2QPNWyuZBR3MP8pr9ruezWsqvJtVnLbl
yVbX++lVsoOve5nSWsV/bSPoiJU1IBQaWA==
-----END EC PRIVATE KEY-----
`,
};
