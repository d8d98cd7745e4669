import { join } from "node:path";
import { median, type BenchCase } from "../report.ts";
import { createHome, memoryOf, startServer, withDirectory, type Server } from "../server.ts";

const rounds = 10;

/** How soon a restart serves again, and what an idle server costs. */
export const start: BenchCase = {
  about: "start on an existing database until the first 200 of /readyz",
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const home = await createHome(join(directory, "home"));
  const readyMs: number[] = [];
  const listMs: number[] = [];
  const idleBytes: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const server = await startServer(home);
    readyMs.push(server.readyMs);
    listMs.push(await firstList(server, home.key));
    if (round >= rounds - 3) {
      await Bun.sleep(2000);
      idleBytes.push((await memoryOf(server.pid)).resident);
    }
    await server.stop();
  }
  return [
    { name: "ready, median", value: median(readyMs), unit: "ms" as const, goal: { atMost: 100 } },
    { name: "ready, slowest", value: Math.max(...readyMs), unit: "ms" as const },
    { name: "first list of leads asked for then, median", value: median(listMs), unit: "ms" as const },
    { name: "resident memory when idle", value: median(idleBytes) / 1e6, unit: "MB" as const, goal: { atMost: 100 } },
  ];
}

/** What a start leaves to the first request of a user. */
async function firstList({ port }: Server, key: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/api/v2/leads`, { headers: { "x-api-key": key } });
  await answer.text();
  if (!answer.ok) throw new Error(`Expected a list, got ${answer.status}`);
  return performance.now() - startedAt;
}
