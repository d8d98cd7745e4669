import { expect, test } from "bun:test";
import { array, assert, boolean, constantFrom, property, record } from "fast-check";
import { jobTypes, type Job, type JobClaim, type JobEnd } from "../../src/platform/jobs/model.ts";
import {
  changedJob,
  claimedJob,
  decideCancel,
  decideRetry,
  editedJob,
  endedJob,
  hasEnded,
  isHeld,
  isOpen,
  type JobChange,
} from "../../src/platform/jobs/transitions.ts";
import type { NewEvent } from "../../src/platform/events/model.ts";
import { startOfTests } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

const workspaceId = "user";
const make = createFactories();

const step = record({
  kind: constantFrom("claim", "completed", "failed", "again", "parked", "cancel", "retry", "edit"),
  /** Of a claim: the lease of the one before expired. Of an end: the runner's claim is an earlier one. */
  isLate: boolean(),
  countsAsAttempt: boolean(),
});
const history = record({
  type: constantFrom(...jobTypes.filter((type) => type !== "linkedin_action")),
  steps: array(step, { maxLength: 40 }),
});
const runs = { seed: 20_260_102, numRuns: 300 };

/** Takes the steps that a store would take, and calls `check` after each. */
function play(
  { type, steps }: { type: Job["type"]; steps: { kind: string; isLate: boolean; countsAsAttempt: boolean }[] },
  check: (before: Job, after: Job, event: NewEvent | null) => void,
): void {
  let job = make.job(workspaceId, { type, status: "pending", attempt: 0, leaseUntil: null, completedAt: null });
  const claims: JobClaim[] = [];
  for (const [index, { kind, isLate, countsAsAttempt }] of steps.entries()) {
    const at = startOfTests + index * 1_000;
    const change = changeOf(kind, at, isLate, countsAsAttempt);
    if (change === null) continue;
    const { job: after, event } = changedJob(job, change);
    check(job, after, event);
    job = after;
    if (kind === "claim") claims.push({ id: job.id, attempt: job.attempt });
  }

  function changeOf(kind: string, at: number, isLate: boolean, countsAsAttempt: boolean): JobChange | null {
    if (kind === "claim") {
      const isAbandoned = job.status === "running" && isLate;
      return job.status === "pending" || isAbandoned
        ? claimedJob(job, { isAbandoned, leaseUntil: at + 500, at })
        : null;
    }
    if (kind === "edit") return editedJob(job, `Edited at ${at}`, at);
    if (kind === "cancel" || kind === "retry") {
      const decision = (kind === "cancel" ? decideCancel : decideRetry)(job, workspaceId, at);
      return decision.kind === "change" ? decision.change : null;
    }
    const claim = claims.at(isLate ? -2 : -1);
    if (claim === undefined || !isHeld(job, claim)) return null;
    return endedJob(job, { kind, message: kind, metadata: {}, at, runAt: at, countsAsAttempt } as JobEnd);
  }
}

test("only running jobs have a lease, and only ended ones a time of completion", () => {
  assert(
    property(history, (taken) =>
      play(taken, (_, { status, leaseUntil, completedAt }) => {
        if (status !== "running") expect(leaseUntil).toBeNull();
        expect(completedAt !== null).toBe(hasEnded({ status }));
      }),
    ),
    runs,
  );
});

test("a claim holds until the job ends or is claimed again, and never again after that", () => {
  assert(
    property(history, (taken) =>
      play(taken, (before, after) => {
        expect(after.attempt).toBeGreaterThanOrEqual(before.attempt);
        for (let attempt = 0; attempt < after.attempt; attempt++) expect(isHeld(after, { attempt })).toBe(false);
        if (hasEnded(after)) expect(isHeld(after, after)).toBe(false);
      }),
    ),
    runs,
  );
});

test("a job that ends emits at most one event, and no other change emits one", () => {
  assert(
    property(history, (taken) =>
      play(taken, (before, after, event) => {
        if (hasEnded(before) || !hasEnded(after)) expect(event).toBeNull();
        if (event !== null) expect([event.jobId, event.at]).toEqual([after.id, after.updatedAt]);
      }),
    ),
    runs,
  );
});

test("a client's message lasts until the job runs again", () => {
  assert(
    property(history, (taken) =>
      play(taken, (before, after) => {
        if (hasEnded(before) && !hasEnded(after)) expect(after.editedMessage).toBeNull();
        else if (before.editedMessage) expect(after.editedMessage).toBeTruthy();
      }),
    ),
    runs,
  );
});

test("clients change only their own jobs, and only where the status allows it", () => {
  const at = startOfTests;
  const job = (status: Job["status"]) => make.job(workspaceId, { type: "lead_import", status });
  expect(decideCancel(null, workspaceId, at)).toEqual({ kind: "absent" });
  expect(decideCancel(job("running"), "somebody else", at)).toEqual({ kind: "absent" });
  expect(decideRetry(job("failed"), "somebody else", at)).toEqual({ kind: "absent" });
  const kinds = (decide: typeof decideCancel) =>
    (["pending", "running", "completed", "failed"] as const).map((status) => decide(job(status), workspaceId, at).kind);
  expect(kinds(decideCancel)).toEqual(["change", "change", "refused", "refused"]);
  expect(kinds(decideRetry)).toEqual(["refused", "refused", "refused", "change"]);
});

test("the network decides about jobs of its actions", () => {
  const action = (status: Job["status"]) => make.job(workspaceId, { type: "linkedin_action", status });
  expect(decideCancel(action("pending"), workspaceId, startOfTests).kind).toBe("ofAction");
  expect(decideCancel(action("completed"), workspaceId, startOfTests).kind).toBe("refused");
  expect(decideRetry(action("failed"), workspaceId, startOfTests).kind).toBe("ofAction");
});

test("a canceled job is marked, and its retry is not", () => {
  const running = make.job(workspaceId, { type: "lead_import", status: "running", failures: 3, metadata: { rows: 2 } });
  const cancel = decideCancel(running, workspaceId, startOfTests);
  if (cancel.kind !== "change") throw new Error("Expected a change");
  const canceled = changedJob(running, cancel.change).job;
  expect(canceled).toMatchObject({ status: "failed", message: "Canceled", metadata: { rows: 2, canceled: true } });
  const retry = decideRetry(canceled, workspaceId, startOfTests + 1);
  if (retry.kind !== "change") throw new Error("Expected a change");
  const again = changedJob(canceled, retry.change).job;
  expect(again).toMatchObject({ status: "pending", failures: 0, metadata: { rows: 2 } });
  expect(again.metadata).not.toHaveProperty("canceled");
});

test("a failed job is open for a while", () => {
  const job = (status: Job["status"]) => make.job(workspaceId, { status, updatedAt: startOfTests });
  expect(isOpen(job("pending"), startOfTests)).toBe(true);
  expect(isOpen(job("running"), startOfTests)).toBe(true);
  expect(isOpen(job("completed"), 0)).toBe(false);
  expect(isOpen(job("failed"), startOfTests - 1)).toBe(true);
  expect(isOpen(job("failed"), startOfTests)).toBe(false);
});
