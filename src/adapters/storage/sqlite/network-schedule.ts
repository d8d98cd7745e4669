import type { Decision, NetworkChange } from "../../../features/network/decisions/changes.ts";
import { decideObjectedTasks } from "../../../features/network/decisions/due.ts";
import type { NetworkFacts, Target } from "../../../features/network/decisions/facts.ts";
import {
  decideApproval,
  decideCancel,
  decideDelegatedEnd,
  decideEdit,
  decideRecord,
  decideResolution,
  decideSchedule,
  type ActionDecision,
} from "../../../features/network/decisions/scheduling.ts";
import type { NetworkStore } from "../../../features/network/store.ts";
import type { ActionChange } from "../../../features/network/queue-model.ts";
import type { Engine } from "./engine.ts";
import type { ChangeWriter } from "./network-change-writer.ts";
import type { NetworkParts } from "./network-facts.ts";
import { createTaskQuery } from "./network-tasks.ts";
import { storedActionJob } from "./stored-job.ts";
import { personOf } from "./suppressions.ts";

type ScheduleStore = Pick<
  NetworkStore,
  "schedule" | "record" | "approve" | "edit" | "cancel" | "resolve" | "endDelegated" | "action" | "skipObjectedTasks"
>;

/** Schedules actions and applies the changes that users make to them. */
export function createScheduleStore(
  engine: Engine,
  { accounts, actions, suppressions }: NetworkParts,
  facts: NetworkFacts,
  write: ChangeWriter,
): ScheduleStore {
  const { writer } = engine;
  const tasks = createTaskQuery(engine);

  function apply<T>({ outcome, changes }: Decision<T>): T {
    write(changes);
    return outcome;
  }

  function targetOf(userId: string, jobId: string): Target | null {
    const target = facts.target(jobId);
    return target?.row.userId === userId ? target : null;
  }

  /** Applies a decision and returns the action as stored afterwards. */
  function change(
    userId: string,
    jobId: string,
    decide: (target: Target | null) => Decision<ActionDecision>,
  ): ActionChange {
    const outcome = apply(decide(targetOf(userId, jobId)));
    if (outcome.kind !== "changed" && outcome.kind !== "refused") return outcome;
    const target = targetOf(userId, jobId);
    if (target === null) return { kind: "absent" };
    return { kind: outcome.kind, action: actions.actionOf(target.row), job: target.job };
  }

  function changeImmediately(
    userId: string,
    jobId: string,
    decide: (target: Target | null) => Decision<ActionDecision>,
  ) {
    return writer.write(() => change(userId, jobId, decide));
  }

  const peopleOf = (jobId: string) => () => {
    const row = actions.get(jobId);
    return row === null ? [] : [personOf(row)];
  };

  function tasksOf(userId: string): Target[] {
    return tasks()
      .values({ userId })
      .flatMap((values) => {
        const { job, row } = storedActionJob(values);
        const record = accounts.get(row.account);
        return record === null ? [] : [{ job, row, record }];
      });
  }
  const objectedTasks = (userId: string, now: number): NetworkChange[] =>
    decideObjectedTasks(tasksOf(userId), facts, now);

  return {
    schedule: (request, dryRun) =>
      suppressions.knowing(
        () => [personOf(request.action)],
        async () =>
          dryRun ? decideSchedule(request, facts).outcome : writer.write(() => apply(decideSchedule(request, facts))),
      ),
    record: (request, relation) =>
      suppressions.knowing(
        () => [personOf(request.action)],
        () => writer.write(() => apply(decideRecord(request, relation, facts))),
      ),
    approve: (userId, jobId, at) =>
      suppressions.knowing(peopleOf(jobId), () =>
        changeImmediately(userId, jobId, (target) => decideApproval(target, facts, at)),
      ),
    edit: (userId, jobId, edit, at) =>
      suppressions.knowing(peopleOf(jobId), () =>
        writer.write(() => change(userId, jobId, (target) => decideEdit(target, edit, facts, at))),
      ),
    cancel: (userId, jobId, at) => changeImmediately(userId, jobId, (target) => decideCancel(target, at)),
    resolve: (userId, jobId, end) => changeImmediately(userId, jobId, (target) => decideResolution(target, end, facts)),
    endDelegated: (userId, jobId, waitsFor, end) =>
      changeImmediately(userId, jobId, (target) => decideDelegatedEnd(target, waitsFor, end, facts)),
    action: async (userId, jobId) => {
      const target = targetOf(userId, jobId);
      return target && { action: actions.actionOf(target.row), job: target.job };
    },
    skipObjectedTasks: (userId, now) =>
      suppressions.knowing(
        () => tasksOf(userId).map(({ row }) => personOf(row)),
        async () => {
          if (objectedTasks(userId, now).length > 0) await writer.write(() => write(objectedTasks(userId, now)));
        },
      ),
  };
}
