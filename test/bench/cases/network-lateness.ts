import { join } from "node:path";
import { peek, pendingJobs, queueActions, unbind } from "../network-rows.ts";
import type { BenchCase } from "../report.ts";
import { createHome, startServer, withDirectory } from "../server.ts";

const perSecond = 500;
const seconds = 20;

/** How punctual actions are that fall due one after the other. */
export const networkLateness: BenchCase = {
  about: `${perSecond} actions a second falling due, for ${seconds} s`,
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const home = await createHome(join(directory, "home"));
  unbind(home);
  const firstAt = Date.now() + 3000;
  queueActions(home, perSecond * seconds, (n) => firstAt + Math.round((n * 1000) / perSecond));
  const server = await startServer(home);
  while (pendingJobs(home)) await Bun.sleep(200);
  await server.stop();
  const late = peek(home, (database) =>
    database
      .query<{ late: number }, []>(
        "SELECT a.slot_at - j.run_at AS late FROM network_actions a JOIN jobs j ON j.id = a.job_id ORDER BY late",
      )
      .all()
      .map((row) => row.late),
  );
  const at = (share: number): number => late[Math.floor(late.length * share)] ?? 0;
  return [
    { name: "lateness, p99", value: at(0.99), unit: "ms" as const, goal: { atMost: 100 } },
    { name: "lateness, median", value: at(0.5), unit: "ms" as const },
    { name: "lateness, worst", value: late.at(-1) ?? 0, unit: "ms" as const },
  ];
}
