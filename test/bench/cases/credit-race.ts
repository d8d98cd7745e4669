import { join } from "node:path";
import { createApi } from "../api.ts";
import { person } from "../people.ts";
import type { BenchCase } from "../report.ts";
import { createHome, startServer, withDirectory } from "../server.ts";

const rounds = 50;
const clients = 64;
const credits = 100;
const leadsEach = 2;

/** Credits are money: whoever races for the last ones must neither get more nor lose any. */
export const creditRace: BenchCase = {
  about: `${clients} clients enrich ${leadsEach} leads each with the last ${credits} credits, ${rounds} rounds`,
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const home = await createHome(join(directory, "home"));
  const server = await startServer(home);
  try {
    const api = createApi(server.port, home.key);
    const { id: userId } = await api.get<{ id: string }>("/users/me");
    const startedAt = performance.now();
    let exact = 0;
    let refused = 0;
    for (let round = 0; round < rounds; round++) {
      const { balance } = await api.get<{ balance: number }>("/credits");
      if (balance !== credits) await api.post(`/users/${userId}/credits/adjust`, { amount: credits - balance });
      const outcomes = await Promise.all(Array.from({ length: clients }, (_, client) => race(api, round, client)));
      const spent = outcomes.reduce<number>((sum, used) => sum + (used ?? 0), 0);
      refused += outcomes.filter((used) => used === null).length;
      const after = await api.get<{ balance: number; reserved: number }>("/credits");
      if (spent === credits && after.balance === 0 && after.reserved === 0) exact++;
    }
    return [
      {
        name: "rounds in which exactly all credits were spent",
        value: exact,
        unit: "count" as const,
        goal: { atLeast: rounds },
      },
      { name: "requests refused with 402", value: refused, unit: "count" as const },
      { name: "a round", value: (performance.now() - startedAt) / rounds, unit: "ms" as const },
    ];
  } finally {
    await server.stop();
  }
}

/** Credits that a client's request used; null when it was refused for want of credits. */
async function race(api: ReturnType<typeof createApi>, round: number, client: number): Promise<number | null> {
  // People whom the server knows, so that each brings something: the client stores them first.
  const people = Array.from({ length: leadsEach }, (_, n) => person(3, (round * clients + client) * leadsEach + n));
  for (const lead of people) await api.post("/leads", lead);
  const leads = people.map(({ email }) => ({ email }));
  const answer = await api.send("POST", "/enrich", { leads });
  if (answer.status === 402) return null;
  if (answer.status !== 200) throw new Error(`Expected 200 or 402, got ${answer.status}`);
  return (answer.data as { creditsUsed: number }).creditsUsed;
}
