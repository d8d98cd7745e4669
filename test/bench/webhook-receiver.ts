/** A receiver of webhooks in a process of its own, which takes everything and counts; GET tells the count. */
export type WebhookReceiver = { url: string; count(): Promise<number>; stop(): Promise<void> };

export async function startReceiver(): Promise<WebhookReceiver> {
  const child = Bun.spawn([process.execPath, import.meta.path], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const { value } = await child.stdout.getReader().read();
  const url = new TextDecoder().decode(value).trim();
  return {
    url,
    count: async () => Number(await (await fetch(url)).text()),
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}

if (import.meta.main) {
  let count = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (request.method === "GET") return new Response(`${count}`);
      await request.arrayBuffer();
      count++;
      return new Response();
    },
  });
  console.log(String(server.url));
}
