import { expect, test } from "bun:test";
import { createDirectory, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";

const env = {
  OUTREACHD_RATE_LIMIT_MINUTE: "0",
  OUTREACHD_RATE_LIMIT_HOUR: "0",
  OUTREACHD_RATE_LIMIT_DAY: "0",
  OUTREACHD_WEBHOOK_PRIVATE_HOSTS: "127.0.0.1",
};
const leadsARound = 60;
/** The kill falls when the receiver got so many of a round: before the first, in the middle, near the end. */
const killAfter = [0, 20, 55];

test("a server that is killed between events and deliveries delivers every one, repeats with the same id", async () => {
  await using directory = await createDirectory();
  const times = new Map<string, number>();
  const leads = new Map<string, string>();
  let onGot = (): void => {};
  const receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const id = request.headers.get("webhook-id") ?? "";
      const { data } = (await request.json()) as { data: { leadId: string } };
      times.set(id, (times.get(id) ?? 0) + 1);
      leads.set(data.leadId, id);
      onGot();
      return new Response();
    },
  });
  const acknowledged: string[] = [];
  try {
    let key = "";
    for (const [round, enough] of killAfter.entries()) {
      await using server = await startServer(directory.path, { env });
      key ||= server.firstRun?.key ?? "";
      const ask = async (path: string, body: object): Promise<string | null> => {
        const headers = { "content-type": "application/json", "x-api-key": key };
        const sent = { method: "POST", headers, body: JSON.stringify(body) };
        const answer = await fetch(`${server.api}${path}`, sent).catch(() => null);
        if (answer === null) return null;
        const { data } = (await answer.json()) as { data: { id: string } };
        return data.id;
      };
      if (round === 0) await ask("/webhooks", { url: `http://127.0.0.1:${receiver.port}/`, events: ["lead.created"] });
      const wanted = leads.size + enough;
      const isEnough = new Promise<void>((resolve) => {
        onGot = () => (leads.size >= wanted ? resolve() : undefined);
        onGot();
      });
      const names = Array.from({ length: leadsARound }, (_, n) => `p${n}@round${round}.example`);
      const made = await Promise.all(names.map((email) => ask("/leads", { email })));
      acknowledged.push(...made.filter((id) => id !== null));
      await isEnough;
      await server.stop("SIGKILL");
    }
    await using last = await startServer(directory.path, { env });
    expect(last.firstRun).toBeNull();
    await eventually("all deliveries", async () => (acknowledged.every((id) => leads.has(id)) ? true : null), {
      patienceMs: 20_000,
    });
    // One id for each event, so that the receiver knows a repeat.
    expect(times.size).toBe(leads.size);
    expect(acknowledged).toHaveLength(leadsARound * killAfter.length);
  } finally {
    await receiver.stop(true);
  }
}, 60_000);
