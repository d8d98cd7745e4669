import { connect, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy between one node and the database, which can cut and delay its connections. */
export class Proxy {
  readonly #server: Server;
  readonly #pairs = new Set<{ near: Socket; far: Socket }>();
  #isCut = false;
  #isSilent = false;
  #delayMs = 0;

  constructor(targetPort: number) {
    this.#server = createServer((near) => this.#accept(near, targetPort));
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return (this.#server.address() as { port: number }).port;
  }

  /** Ends all connections, and accepts none for so long. */
  async cut(ms: number): Promise<void> {
    this.#isCut = true;
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far.destroy();
    }
    await Bun.sleep(ms);
    this.#isCut = false;
  }

  /** Loses nothing, but hands nothing over for so long: neither side notices that the other is out of reach. */
  async silence(ms: number): Promise<void> {
    this.#isSilent = true;
    for (const { near, far } of this.#pairs) {
      near.pause();
      far.pause();
    }
    await Bun.sleep(ms);
    this.#isSilent = false;
    for (const { near, far } of this.#pairs) {
      near.resume();
      far.resume();
    }
  }

  /** Hands everything over later, for so long. */
  async slow(delayMs: number, ms: number): Promise<void> {
    this.#delayMs = delayMs;
    await Bun.sleep(ms);
    this.#delayMs = 0;
  }

  stop(): void {
    this.#server.close();
    void this.cut(0);
  }

  #accept(near: Socket, port: number): void {
    if (this.#isCut) {
      near.destroy();
      return;
    }
    const far = connect(port, "127.0.0.1");
    const pair = { near, far };
    this.#pairs.add(pair);
    this.#forward(near, far);
    this.#forward(far, near);
    const end = (): void => {
      this.#pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.setNoDelay(true).on("error", end).on("close", end);
    if (!this.#isSilent) return;
    near.pause();
    far.pause();
  }

  /** Keeps the order even when the delay ends. */
  #forward(from: Socket, to: Socket): void {
    let last = Promise.resolve();
    let waiting = 0;
    from.on("data", (chunk) => {
      if (this.#delayMs === 0 && waiting === 0) {
        to.write(chunk);
        return;
      }
      const delayed = Bun.sleep(this.#delayMs);
      waiting++;
      last = last
        .then(() => delayed)
        .then(() => {
          waiting--;
          if (!to.destroyed) to.write(chunk);
        });
    });
  }
}
