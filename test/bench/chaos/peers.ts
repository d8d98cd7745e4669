/** The outside world: a connector that performs actions, and receivers of webhooks. Both note what they get. */
export function startPeers(secondsOf: () => number) {
  /** When each action was performed, by the ID of its job. */
  const performed = new Map<string, { account: string; at: number }[]>();
  /** Events of each user in the order of their first delivery. */
  const delivered = new Map<string, string[]>();
  const seen = new Set<string>();
  let repeated = 0;

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const [, kind, name = ""] = new URL(request.url).pathname.split("/");
      if (kind === "act") {
        const id = request.headers.get("webhook-id") ?? "";
        const times = performed.get(id) ?? [];
        performed.set(id, [...times, { account: name, at: performance.now() }]);
        // Some calls are in flight when something happens.
        await Bun.sleep(secondsOf() * 1000);
        return Response.json({ outcome: "completed" });
      }
      const { data } = (await request.json()) as { data: { eventId: string } };
      const event = `${name} ${data.eventId}`;
      if (seen.has(event)) repeated++;
      else delivered.set(name, [...(delivered.get(name) ?? []), data.eventId]);
      seen.add(event);
      return new Response();
    },
  });
  return {
    performed,
    delivered,
    repeated: () => repeated,
    connectorUrl: (account: string) => `http://127.0.0.1:${server.port}/act/${account}`,
    webhookUrl: (user: string) => `http://127.0.0.1:${server.port}/event/${user}`,
    stop: () => server.stop(true),
  };
}

export type Peers = ReturnType<typeof startPeers>;
