import { join } from "node:path";
import { multiplyAccounts, peek, queueActions, undecidedActions } from "../network-rows.ts";
import { median, type BenchCase } from "../report.ts";
import { createHome, startServer, withDirectory } from "../server.ts";

const accounts = 1_000;
const actions = 20_000;
const rounds = 3;

/** What the governor costs: each account sends what its pace allows at once, and all others get a moment of their own. */
export const networkLimited: BenchCase = {
  about: `${actions.toLocaleString("en-US")} actions of ${accounts.toLocaleString("en-US")} accounts with their usual pace, due together`,
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const seen: number[] = [];
  const sent: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const home = await createHome(join(directory, `home-${round}`));
    multiplyAccounts(home, accounts);
    const dueAt = Date.now();
    queueActions(home, actions, () => dueAt);
    const startedAt = performance.now();
    const server = await startServer(home);
    while (undecidedActions(home, dueAt)) await Bun.sleep(20);
    seen.push((actions / (performance.now() - startedAt)) * 1000);
    await server.stop();
    sent.push(
      peek(home, (database) =>
        database.query<{ n: number }, []>("SELECT count(*) AS n FROM network_actions WHERE state = 'completed'").get(),
      )?.n ?? 0,
    );
  }
  // One of each account may go at once, unless it has a break; with others it would be too close.
  if (sent.some((n) => n < accounts / 2 || n > accounts))
    throw new Error(`Expected up to ${accounts} actions to be sent, got ${sent.join(", ")}`);
  return [
    { name: "actions decided on, start included, median", value: median(seen), unit: "/s" as const },
    { name: "slowest round", value: Math.min(...seen), unit: "/s" as const },
    { name: "actions sent at once, median", value: median(sent), unit: "count" as const },
  ];
}
