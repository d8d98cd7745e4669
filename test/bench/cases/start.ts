import { join } from "node:path";
import { median, type BenchCase } from "../report.ts";
import { createHome, memoryOf, startServer, withDirectory } from "../server.ts";

const rounds = 10;

/** How soon a restart serves again, and what an idle server costs. */
export const start: BenchCase = {
  about: "start on an existing database until the first 200 of /readyz",
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const home = await createHome(join(directory, "home"));
  const readyMs: number[] = [];
  const idleBytes: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const server = await startServer(home);
    readyMs.push(server.readyMs);
    if (round >= rounds - 3) {
      await Bun.sleep(2000);
      idleBytes.push((await memoryOf(server.pid)).resident);
    }
    await server.stop();
  }
  return [
    { name: "ready, median", value: median(readyMs), unit: "ms" as const, goal: { atMost: 100 } },
    { name: "ready, slowest", value: Math.max(...readyMs), unit: "ms" as const },
    { name: "resident memory when idle", value: median(idleBytes) / 1e6, unit: "MB" as const, goal: { atMost: 100 } },
  ];
}
