import { expect, test } from "bun:test";
import { getPriority } from "node:os";
import { startThread } from "../../src/threads.ts";

test("an error inside a thread is told by `closed` and does not end the process", async () => {
  // Init that no task can begin with.
  const thread = startThread("lead-file", null);
  const ended = await thread.closed;
  expect(ended).toBeInstanceOf(Error);
  expect(ended?.message).toStartWith("The lead-file thread failed: ");
});

test("a thread that is stopped has ended without an error, however often it is stopped", async () => {
  const thread = startThread("lead-file", null);
  thread.stop();
  thread.stop();
  expect(await thread.closed).toBeNull();
});

test("a thread whose input cannot be copied is ended", () => {
  const terminated: Worker[] = [];
  const Original = globalThis.Worker;
  globalThis.Worker = class extends Original {
    override terminate(): void {
      terminated.push(this);
      super.terminate();
    }
  };
  try {
    expect(() => startThread("lead-file", { path: () => "a function" })).toThrow("can not be cloned");
  } finally {
    globalThis.Worker = Original;
  }
  expect(terminated).toHaveLength(1);
});

test("a task that no thread knows is an error, not silence", async () => {
  const thread = startThread("no-such-task" as "lead-file", null);
  expect((await thread.closed)?.message).toContain("no-such-task");
});

test.skipIf(process.platform !== "linux")(
  "a thread that gives way lets the others go first, and lowers only itself",
  async () => {
    const own = getPriority(0);
    const worker = new Worker(new URL("../support/patient-worker.ts", import.meta.url).href);
    const { promise, resolve, reject } = Promise.withResolvers<{ before: number; after: number }>();
    worker.addEventListener("message", (event: MessageEvent<{ before: number; after: number }>) => resolve(event.data));
    worker.addEventListener("error", (event) => reject(new Error(event.message)));
    const { before, after } = await promise;
    worker.terminate();
    expect(before).toBe(own);
    expect(after).toBe(Math.max(own, 5));
    expect(getPriority(0)).toBe(own);
  },
);
