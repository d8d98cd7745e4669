import { expect, test } from "bun:test";
import { Interruption } from "../../src/platform/jobs/interruption.ts";

test("whoever looks before, or only after, sees the same signal aborted with the same reason", () => {
  const reason = new Error("The server is stopping");
  const before = new Interruption();
  const { signal } = before;
  expect(signal.aborted).toBe(false);
  before.abort(reason);
  before.abort(new Error("Too late"));
  const after = new Interruption();
  after.abort(reason);
  for (const each of [before, after]) {
    expect(each.isAborted).toBe(true);
    expect(each.signal.aborted).toBe(true);
    expect(each.signal.reason).toBe(reason);
  }
  expect(before.signal).toBe(signal);
});
