import { join } from "node:path";
import { peek, pendingJobs, queueActions, unbind } from "../network-rows.ts";
import type { BenchCase } from "../report.ts";
import { createHome, withDirectory, type Home } from "../server.ts";

const rounds = 200;
const actionsARound = 200;
/** They fall due from before the process is up until after the last moment of a kill, so that most kills hit the work. */
const dueEveryMs = 5;

/** Kills the service while it carries actions out, and counts what the other side really got. */
export const networkKill: BenchCase = {
  about: `${rounds} rounds of SIGKILL during dispatch to a connector that records what it gets`,
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const home = await createHome(join(directory, "home"));
  unbind(home);
  const got = new Map<string, number>();
  const recorder = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const id = new URL(request.url).pathname.slice(1);
      got.set(id, (got.get(id) ?? 0) + 1);
      return new Response("ok");
    },
  });
  let cutOff = 0;
  try {
    for (let round = 0; round < rounds; round++) {
      const now = Date.now();
      queueActions(home, actionsARound, (n) => now + n * dueEveryMs);
      const before = got.size;
      await runFor(home, recorder.url.origin, Math.random() * 500);
      if (got.size > before && pendingJobs(home)) cutOff++;
    }
    await runFor(home, recorder.url.origin, null);
  } finally {
    await recorder.stop(true);
  }
  const rows = peek(home, (database) =>
    database.query<{ job_id: string; state: string }, []>("SELECT job_id, state FROM network_actions").all(),
  );
  const times = (id: string): number => got.get(id) ?? 0;
  const twice = rows.filter(({ job_id }) => times(job_id) > 1).length;
  const lost = rows.filter(({ job_id, state }) =>
    state === "completed" ? times(job_id) !== 1 : state !== "unknown",
  ).length;
  const unknown = rows.filter(({ state }) => state === "unknown").length;
  return [
    { name: "sent twice", value: twice, unit: "count" as const, goal: { atMost: 0 } },
    { name: "lost: neither carried out nor told as unknown", value: lost, unit: "count" as const, goal: { atMost: 0 } },
    { name: "actions", value: rows.length, unit: "count" as const, goal: { atLeast: rounds * actionsARound } },
    { name: "outcome unknown, left to a person", value: unknown, unit: "count" as const },
    {
      name: "rounds in which the kill fell into the work",
      value: cutOff,
      unit: "count" as const,
      goal: { atLeast: rounds / 4 },
    },
  ];
}

/** Runs the service on the data until it is killed after so many milliseconds, or (null) until nothing is pending. */
async function runFor(home: Home, recorder: string, ms: number | null): Promise<void> {
  const program = join(import.meta.dir, "../recording-server.ts");
  const child = Bun.spawn([process.execPath, program, home.directory, recorder], { stdout: "pipe", stderr: "inherit" });
  await child.stdout.getReader().read();
  if (ms !== null) await Bun.sleep(ms);
  else while (pendingJobs(home)) await Bun.sleep(100);
  child.kill(ms === null ? "SIGTERM" : "SIGKILL");
  await child.exited;
}
