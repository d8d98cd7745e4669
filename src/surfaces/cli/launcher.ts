import { readFileSync } from "node:fs";

/** A running process: its parent, and its command line. */
export type ProcessFacts = { parent: number; command: string };
/** Returns null if the process has ended. */
export type ReadProcess = (pid: number) => ProcessFacts | null;

// npx starts a shell, which starts `bun run`, which starts this program.
const maxGenerations = 4;

/**
 * Returns the processes of npm and `bun run` between the user and this program: its `parent`, and, if npx is among its
 * ancestors, everything up to npx. If one of them ends, the program was meant to end: npx passes SIGTERM on to no one.
 */
export function launchersOf(parent: number, read: ReadProcess): number[] {
  const pids: number[] = [];
  let pid = parent;
  while (pids.length < maxGenerations && pid > 1) {
    const facts = read(pid);
    if (facts === null) break;
    pids.push(pid);
    if (/^(\S*\/)?(node\s+\S*\/)?np[mx]\b/.test(facts.command)) return pids;
    pid = facts.parent;
  }
  return pids.slice(0, 1);
}

/** Calls `onEnd` once if a process of `pids` ends. Returns what stops watching. */
export function watchProcesses(
  pids: readonly number[],
  read: ReadProcess,
  onEnd: () => void,
  everyMs = 500,
): () => void {
  if (pids.length === 0) return () => {};
  const timer = setInterval(() => {
    if (pids.every((pid) => read(pid) !== null)) return;
    clearInterval(timer);
    onEnd();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Reads /proc on Linux, and asks `ps` elsewhere. */
export const readProcess: ReadProcess = (pid) => {
  if (process.platform === "linux") return fromProc(pid);
  const { stdout, success } = Bun.spawnSync(["ps", "-o", "stat=,ppid=,args=", "-p", String(pid)]);
  const [, state = "", parent = "", command = ""] = /^(\S+)\s+(\d+)\s+(.*)/.exec(stdout.toString().trim()) ?? [];
  return success && !state.startsWith("Z") ? { parent: Number(parent), command } : null;
};

function fromProc(pid: number): ProcessFacts | null {
  try {
    // The name of the program is in parentheses and may contain any character.
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    if (state === "Z" || parent === undefined) return null;
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return { parent: Number(parent), command };
  } catch {
    return null;
  }
}
