import { join } from "node:path";
import { peek, pendingJobs, queueActions, unbind } from "../network-rows.ts";
import { median, type BenchCase } from "../report.ts";
import { createHome, startServer, withDirectory } from "../server.ts";

const actions = 100_000;
const rounds = 3;

/** How fast a queue that is due empties, when the network answers at once: claim and completion of each are durable. */
export const networkDrain: BenchCase = {
  about: `${actions.toLocaleString("en-US")} due actions of one account, carried out by the simulated network`,
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const seen: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const home = await createHome(join(directory, `home-${round}`));
    unbind(home);
    const dueAt = Date.now();
    queueActions(home, actions, (n) => dueAt - actions + n);
    const server = await startServer(home);
    while (pendingJobs(home)) await Bun.sleep(100);
    await server.stop();
    const { done, firstAt, lastAt } = peek(home, (database) =>
      database
        .query<{ done: number; firstAt: number; lastAt: number }, []>(
          "SELECT count(*) AS done, min(slot_at) AS firstAt, max(updated_at) AS lastAt FROM network_actions WHERE state = 'completed'",
        )
        .get(),
    ) ?? { done: 0, firstAt: 0, lastAt: 0 };
    if (done !== actions) throw new Error(`Expected ${actions} actions to be done, got ${done}`);
    seen.push((actions / (lastAt - firstAt)) * 1000);
  }
  return [
    { name: "actions carried out, median", value: median(seen), unit: "/s" as const, goal: { atLeast: 10_000 } },
    { name: "slowest round", value: Math.min(...seen), unit: "/s" as const },
  ];
}
