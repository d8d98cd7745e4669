import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { isCompiled, withDirectory } from "./server.ts";

export type Machine = {
  cpu: string;
  cores: number;
  memoryGiB: number;
  system: string;
  /** Processes that wanted to run in the last minute, on average: the others' share of the machine. */
  load: number;
  bun: string;
  /** Median time to make 4 KiB durable: the least that a commit can cost. */
  fsyncMs: number;
  /** The data is on a file system in memory: then durable writes cost nothing and prove nothing. */
  inMemory: boolean;
  server: "executable" | "source";
};

const tmpfsMagic = 0x01021994; // statfs(2)

export async function describeMachine(): Promise<Machine> {
  return await withDirectory(async (directory) => ({
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    load: loadavg()[0] ?? 0,
    bun: Bun.version,
    fsyncMs: fsyncTime(join(directory, "fsync")),
    inMemory: (await statfs(directory)).type === tmpfsMagic,
    server: isCompiled ? "executable" : "source",
  }));
}

function fsyncTime(path: string): number {
  const file = openSync(path, "w");
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 100 }, () => {
    const startedAt = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  return times.toSorted((a, b) => a - b)[50] ?? 0;
}
