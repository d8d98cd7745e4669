import { expect, test } from "bun:test";
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

test("a task that no thread knows is an error, not silence", async () => {
  const thread = startThread("no-such-task" as "lead-file", null);
  expect((await thread.closed)?.message).toContain("no-such-task");
});
