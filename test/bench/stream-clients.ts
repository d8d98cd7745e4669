import { connect, type Socket } from "node:net";

/**
 * Clients of the live stream in a process of their own. Those that read tell how late each event reached them; those
 * that are stalled ask for everything since the beginning and never read a byte.
 */
export type StreamClients = {
  /** All are connected. */
  ready: Promise<void>;
  /** Lateness of all events since, in milliseconds, ascending. */
  stop(): Promise<number[]>;
};

export function startStreamClients(port: number, key: string, reading: number, stalled: number): StreamClients {
  const args = [process.execPath, import.meta.path, `${port}`, key, `${reading}`, `${stalled}`];
  const child = Bun.spawn(args, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const output = child.stdout.getReader();
  return {
    ready: output.read().then(() => {}),
    async stop() {
      void child.stdin.end();
      let text = "";
      for (let part = await output.read(); !part.done; part = await output.read())
        text += new TextDecoder().decode(part.value);
      await child.exited;
      return JSON.parse(text) as number[];
    },
  };
}

if (import.meta.main) {
  const [port = "", key = "", reading = "", stalled = ""] = process.argv.slice(2);
  const late: number[] = [];
  const open = (query: string, isStalled: boolean): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), "127.0.0.1", () => {
        socket.write(`GET /api/v2/events/stream${query} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n\r\n`);
        if (isStalled) {
          socket.pause();
          return resolve(socket);
        }
        socket.once("data", () => resolve(socket));
        socket.on("data", (bytes: Buffer) => {
          const now = Date.now();
          for (const [, at = ""] of bytes.toString("latin1").matchAll(/"timestamp":"([^"]+)"/g))
            late.push(now - Date.parse(at));
        });
      });
      socket.on("error", () => {});
    });
  const sockets = await Promise.all([
    ...Array.from({ length: Number(reading) }, () => open("?type=lead.created", false)),
    ...Array.from({ length: Number(stalled) }, () => open("?after=0", true)),
  ]);
  console.log("ready");
  process.stdin
    .on("end", () => {
      for (const socket of sockets) socket.destroy();
      const sorted = Float64Array.from(late).toSorted();
      console.log(JSON.stringify([...sorted]));
      process.exit(0);
    })
    .resume();
}
