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
import { doneBy } from "../../../platform/events/done-by.ts";
import { storedActionJob } from "./stored-job.ts";
import { personOf } from "./suppressions.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

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

  function targetOf(workspaceId: WorkspaceId, jobId: string): Target | null {
    const target = facts.target(jobId);
    return target?.row.workspaceId === workspaceId ? target : null;
  }

  /** Applies a decision and returns the action as stored afterwards. */
  function change(
    workspaceId: WorkspaceId,
    jobId: string,
    decide: (target: Target | null) => Decision<ActionDecision>,
  ): ActionChange {
    const outcome = apply(decide(targetOf(workspaceId, jobId)));
    if (outcome.kind !== "changed" && outcome.kind !== "refused") return outcome;
    const target = targetOf(workspaceId, jobId);
    if (target === null) return { kind: "absent" };
    return { kind: outcome.kind, action: actions.actionOf(target.row), job: target.job };
  }

  function changeImmediately(
    workspaceId: WorkspaceId,
    jobId: string,
    decide: (target: Target | null) => Decision<ActionDecision>,
  ) {
    return writer.write(() => change(workspaceId, jobId, decide));
  }

  const peopleOf = (jobId: string) => () => {
    const row = actions.get(jobId);
    return row === null ? [] : [personOf(row)];
  };

  function tasksOf(workspaceId: WorkspaceId): Target[] {
    return tasks()
      .values({ workspaceId })
      .flatMap((values) => {
        const { job, row } = storedActionJob(values);
        const record = accounts.get(row.account);
        return record === null ? [] : [{ job, row, record }];
      });
  }
  const objectedTasks = (workspaceId: WorkspaceId, now: number): NetworkChange[] =>
    decideObjectedTasks(tasksOf(workspaceId), facts, now);

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
    approve: (workspaceId, jobId, at, actorId = null) =>
      suppressions.knowing(peopleOf(jobId), () =>
        changeImmediately(workspaceId, jobId, (target) => doneBy(actorId, decideApproval(target, facts, at))),
      ),
    edit: (workspaceId, jobId, edit, at, actorId = null) =>
      suppressions.knowing(peopleOf(jobId), () =>
        writer.write(() =>
          change(workspaceId, jobId, (target) => doneBy(actorId, decideEdit(target, edit, facts, at))),
        ),
      ),
    cancel: (workspaceId, jobId, at, actorId = null) =>
      changeImmediately(workspaceId, jobId, (target) => doneBy(actorId, decideCancel(target, at))),
    resolve: (workspaceId, jobId, end) =>
      changeImmediately(workspaceId, jobId, (target) => decideResolution(target, end, facts)),
    endDelegated: (workspaceId, jobId, waitsFor, end) =>
      changeImmediately(workspaceId, jobId, (target) => decideDelegatedEnd(target, waitsFor, end, facts)),
    action: async (workspaceId, jobId) => {
      const target = targetOf(workspaceId, jobId);
      return target && { action: actions.actionOf(target.row), job: target.job };
    },
    skipObjectedTasks: (workspaceId, now) =>
      suppressions.knowing(
        () => tasksOf(workspaceId).map(({ row }) => personOf(row)),
        async () => {
          if (objectedTasks(workspaceId, now).length > 0)
            await writer.write(() => write(objectedTasks(workspaceId, now)));
        },
      ),
  };
}
