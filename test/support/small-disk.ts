import { test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programCommand } from "./program.ts";

/** A file system of its own that can be made really full. `await using` takes it away. */
export type SmallDisk = {
  path: string;
  /** Takes all of its space but the last `leaveBytes`. */
  fill(leaveBytes?: number): Promise<void>;
  /** Gives back what `fill` took. */
  free(): Promise<void>;
  /** Read-only or writable from now on; nobody may have a file open on it. */
  remount(mode: "ro" | "rw"): void;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Mounts an empty file system in memory; only root may, and not in every container. */
export function mountSmallDisk(bytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), "outreachd-disk-"));
  const mounted = run("mount", "-t", "tmpfs", "-o", `size=${bytes}`, "outreachd-test", path);
  if (mounted !== null) {
    rmSync(path, { recursive: true });
    throw new Error(mounted);
  }
  const ballast = join(path, "ballast");
  return {
    path,
    async fill(leaveBytes = 0) {
      const file = await open(ballast, "w");
      const size = await writeUntilFull(file);
      await file.truncate(Math.max(0, size - leaveBytes));
      await file.close();
    },
    free: () => rm(ballast, { force: true }),
    remount(mode) {
      const problem = run("mount", "-o", `remount,${mode}`, path);
      if (problem !== null) throw new Error(problem);
    },
    async [Symbol.asyncDispose]() {
      run("umount", path);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

async function writeUntilFull(file: Awaited<ReturnType<typeof open>>): Promise<number> {
  const page = new Uint8Array(4096);
  for (let size = 0; ;)
    try {
      size += (await file.write(page)).bytesWritten;
    } catch (error) {
      if ((error as { code?: string }).code === "ENOSPC") return size;
      throw error;
    }
}

/** A test that needs `mountSmallDisk`; where that is not possible it is skipped, and the title says why. */
export const testOnSmallDisk = testUnless(whyNoSmallDisk());

/** How to run a program without root's right to write everywhere. */
export const asNobody: readonly string[] =
  process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];

/** A test that runs the program through `asNobody`. */
export const testAsNobody = testUnless(
  process.platform === "win32" ? "Windows has other permissions" : run(...asNobody, ...programCommand, "--version"),
);

/** A test that is skipped, with the reason in its title, unless the reason is null. */
export function testUnless(reason: string | null) {
  return (title: string, body: () => Promise<void>, timeoutMs?: number): void => {
    if (reason === null) test(title, body, timeoutMs);
    else test.skip(`${title} (${reason})`, body);
  };
}

function whyNoSmallDisk(): string | null {
  if (process.platform !== "linux") return "only Linux mounts a tmpfs";
  if (process.getuid?.() !== 0) return "only root may mount";
  const path = mkdtempSync(join(tmpdir(), "outreachd-disk-"));
  const problem = run("mount", "-t", "tmpfs", "-o", "size=64k", "outreachd-test", path);
  if (problem === null) run("umount", path);
  rmSync(path, { recursive: true, force: true });
  return problem;
}

/** Null when the command succeeds, else what it had to say. */
function run(...command: string[]): string | null {
  try {
    const { success, stderr } = Bun.spawnSync(command, { stdout: "ignore", stderr: "pipe" });
    return success ? null : `${command.join(" ")} failed: ${stderr.toString().trim().split("\n")[0]}`;
  } catch (error) {
    return `${command[0]}: ${(error as Error).message}`;
  }
}
