import { expect, test } from "bun:test";
import { launchersOf, readProcess, watchProcesses, type ProcessFacts } from "../../src/surfaces/cli/launcher.ts";

const table = (processes: Record<number, ProcessFacts>) => (pid: number) => processes[pid] ?? null;

test("npx and what it starts are the launchers", () => {
  const read = table({
    40: { parent: 30, command: "bun run start" },
    30: { parent: 20, command: "sh -c 'bun' run start" },
    20: { parent: 10, command: "npm exec bun@1.4.5 run start" },
    10: { parent: 1, command: "-bash" },
  });
  expect(launchersOf(40, read)).toEqual([40, 30, 20]);
});

test.each(["node /usr/bin/npx -y bun run start", "/usr/local/bin/npx -y bun", "npm run start"])(
  "%s is recognized",
  (command) => {
    expect(launchersOf(4, table({ 4: { parent: 3, command: "sh" }, 3: { parent: 2, command } }))).toEqual([4, 3]);
  },
);

test("without npx, only the parent is one: a shell may end before the server does", () => {
  const read = table({
    40: { parent: 30, command: "bun run start" },
    30: { parent: 20, command: "bash /home/ada/npm/start" },
    20: { parent: 1, command: "tmux" },
  });
  expect(launchersOf(40, read)).toEqual([40]);
  expect(launchersOf(1, read)).toEqual([]);
  expect(launchersOf(99, read)).toEqual([]);
});

test.skipIf(process.platform === "win32")("the end of a process is noticed once", async () => {
  const child = Bun.spawn(["sleep", "60"]);
  try {
    expect(readProcess(child.pid)).toMatchObject({ parent: process.pid });
    const ended = Promise.withResolvers<void>();
    let times = 0;
    watchProcesses([process.pid, child.pid], readProcess, () => ((times += 1), ended.resolve()), 1);
    child.kill("SIGKILL");
    await ended.promise;
    expect(times).toBe(1);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
});
