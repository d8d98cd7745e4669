import type { Job } from "../../../platform/jobs/model.ts";
import type {
  ActionChange,
  ActionEdit,
  ActionEnd,
  NetworkStore,
  ScheduleAction,
  ScheduleOutcome,
} from "../../../features/network/store.ts";
import { neverAt, openStates, type Objection, type PendingReason } from "../../../features/network/action-model.ts";
import type { Relation } from "../../../features/network/contact-model.ts";
import { objectionText } from "../../../features/network/texts.ts";
import type { CampaignHooks } from "./campaign-hooks.ts";
import type { Engine } from "./engine.ts";
import type { JobRows } from "./jobs.ts";
import type { AccountRecord, AccountRows } from "./network-accounts.ts";
import type { ActionRows } from "./network-actions.ts";
import type { ContactRows } from "./network-contacts.ts";
import type { NetworkEvents } from "./network-events.ts";
import { personOf, type Objections } from "./network-objections.ts";
import type { Slots } from "./network-slots.ts";
import type { ActionRow } from "./network-tables.ts";
import type { SuppressionRows } from "./suppressions.ts";

type ScheduleStore = Pick<
  NetworkStore,
  "schedule" | "record" | "approve" | "edit" | "cancel" | "resolve" | "endHanded" | "action"
>;

export type ScheduleParts = {
  accounts: AccountRows;
  actions: ActionRows;
  jobRows: JobRows;
  slots: Slots;
  contacts: ContactRows;
  campaigns: CampaignHooks;
  suppressions: SuppressionRows;
  objectionTo: Objections;
  events: NetworkEvents;
};

/** Puts actions into the queue of their account, and what a person may do with them there. */
export function createScheduling(parts: ScheduleParts) {
  const { accounts, actions, jobRows, slots, contacts, campaigns, objectionTo, events } = parts;

  function decide({ action, job }: ScheduleAction, stores: boolean): ScheduleOutcome {
    const record = accounts.ofUser(action.userId, action.accountId);
    if (record === null) return { kind: "accountGone" };
    const { open, ended } = actions.twinsOf(record.seq, action);
    const twin = open === null ? null : twinOf(open);
    if (twin !== null) return { kind: "existing", ...twin };
    const now = job.createdAt;
    const objection = objectionTo(record.seq, action, now);
    if (objection !== null) return { kind: "objected", objection };
    const slot = stores ? slots.place(record, action, now) : slots.foresee(record, action, now);
    if (slot.at === null) return { kind: "never", reason: slot.reason };
    const waits = action.state === "awaitingApproval";
    const placed = {
      ...action,
      slotAt: waits ? null : slot.at,
      pendingReason: waits ? ("awaitingApproval" as const) : slot.reason,
    };
    const placedJob = { ...job, runAt: waits ? neverAt : slot.at };
    if (stores) {
      actions.passOver(ended);
      jobRows.insert(placedJob);
      actions.insert(placed, record.seq, 0);
      events.scheduled(record, placed, placed.slotAt, now);
      if (slot.isFree) accounts.countChange(record);
      else accounts.wantPlan(record);
    }
    return { kind: "scheduled", action: placed, job: placedJob };
  }

  function twinOf(jobId: string) {
    const job = jobRows.get(jobId);
    const row = actions.get(jobId);
    return job === null || row === null ? null : { action: actions.actionOf(row), job };
  }

  function record({ action, job }: ScheduleAction, relation: Relation | null): ScheduleOutcome {
    const account = accounts.ofUser(action.userId, action.accountId);
    if (account === null) return { kind: "accountGone" };
    // What is recorded may be connected or pending already, as a result of what is recorded.
    const objection = objectionTo(account.seq, action, job.createdAt);
    if (objection?.kind === "doNotContact") return { kind: "objected", objection };
    jobRows.insert(job);
    actions.insert(action, account.seq, 1);
    events.action("action.completed", account, action, job.createdAt, { outcome: "recorded" });
    const attempt = { wasSent: true, shown: relation, reference: null };
    contacts.noteAction({ ...action, account: account.seq }, action.actionType, attempt, action.slotAt ?? 0);
    accounts.wantPlan(account);
    return { kind: "scheduled", action, job };
  }

  type Found = { row: ActionRow; job: Job; record: AccountRecord };

  function found(userId: string, jobId: string): Found | null {
    const row = actions.get(jobId);
    const job = row?.userId === userId ? jobRows.get(jobId) : null;
    const record = row && accounts.get(row.account);
    return row === null || job === null || record === null ? null : { row, job, record };
  }

  /** Changes an action of a user, if it is in one of these states. */
  function change(
    userId: string,
    jobId: string,
    states: readonly ActionRow["state"][],
    apply: (target: Found) => ActionChange,
  ): ActionChange {
    const target = found(userId, jobId);
    if (target === null) return { kind: "absent" };
    if (!states.includes(target.row.state)) return { kind: "refused", action: actions.actionOf(target.row) };
    return apply(target);
  }

  function changed(jobId: string): ActionChange {
    const row = actions.get(jobId);
    const job = jobRows.get(jobId);
    return row === null || job === null ? { kind: "absent" } : { kind: "changed", action: actions.actionOf(row), job };
  }

  /** Into the queue: an action that waited for approval, or one whose earliest moment changed. */
  function enqueue({ row, job, record }: Found, now: number): ActionChange {
    const objection = objectionTo(record.seq, row, now);
    if (objection !== null) return { kind: "objected", objection };
    const slot = slots.place(record, row, now);
    if (slot.at === null) return { kind: "never", reason: slot.reason };
    actions.settle(row, "scheduled", { pendingReason: slot.reason, used: 0, slotAt: slot.at, now });
    jobRows.write(job, { status: "pending", runAt: slot.at, leaseUntil: null, updatedAt: now });
    accounts.countChange(record);
    events.scheduled(record, { ...row, state: "scheduled" }, slot.at, now);
    return changed(row.jobId);
  }

  function edit(target: Found, wanted: ActionEdit, now: number): ActionChange {
    const { row, job, record } = target;
    const {
      message = row.message,
      details = row.details,
      notBefore = row.notBefore,
      targetKey = row.targetKey,
    } = wanted;
    const edited = { ...row, message, details, notBefore, targetKey };
    const twin = targetKey === row.targetKey ? null : actions.twinsOf(record.seq, edited).open;
    if (twin !== null) return { kind: "twin", jobId: twin };
    const change = { message, details, notBefore, targetKey, now };
    if (row.state === "awaitingApproval" || wanted.needsApproval === true) {
      actions.edit(row, change);
      if (row.state !== "awaitingApproval") awaitApproval(target, now);
      return changed(row.jobId);
    }
    const isSameMoment = notBefore === row.notBefore || (notBefore > row.notBefore && notBefore <= (row.slotAt ?? 0));
    if (isSameMoment && row.hasNote === actions.takesNote(edited)) {
      actions.edit(row, change);
      // A voice message that is being prepared says what it said before: its claim is void.
      if (job.status === "running") jobRows.write(job, { status: "pending", leaseUntil: null, updatedAt: now });
      return changed(row.jobId);
    }
    // Its own slot must not stand in its way.
    actions.moveSlot(row, null);
    const moved = enqueue({ ...target, row: edited }, now);
    if (moved.kind !== "changed") {
      actions.moveSlot(row, row.slotAt);
      return moved;
    }
    actions.free(record, row);
    actions.edit(row, change);
    return changed(row.jobId);
  }

  function awaitApproval({ row, job, record }: Found, now: number): void {
    actions.free(record, row);
    actions.settle(row, "awaitingApproval", { pendingReason: "awaitingApproval", used: 0, slotAt: null, now });
    const waiting = { status: "pending", runAt: neverAt, leaseUntil: null, updatedAt: now } as const;
    jobRows.write(job, { ...waiting, message: "", completedAt: null });
    events.action("action.approval_required", record, row, now);
  }

  /** Back into the queue, or to whoever did not approve it before it was canceled. */
  function again(target: Found, now: number): ActionChange {
    if (target.row.pendingReason !== "awaitingApproval") return enqueue(target, now);
    awaitApproval(target, now);
    return changed(target.row.jobId);
  }

  function cancel({ row, job, record }: Found, now: number): ActionChange {
    actions.free(record, row);
    // What nobody has approved is not approved by being canceled and run again.
    const pendingReason = row.state === "awaitingApproval" ? ("awaitingApproval" as const) : null;
    actions.settle(row, "canceled", { pendingReason, used: 0, slotAt: null, now });
    const metadata = { ...job.metadata, canceled: true };
    const ended = { status: "failed", message: "Canceled", metadata, leaseUntil: null } as const;
    jobRows.write(job, { ...ended, completedAt: now, updatedAt: now });
    events.action("action.canceled", record, row, now);
    campaigns.wake(row.enrollmentId, now);
    return changed(row.jobId);
  }

  /** Cancels an action that its campaign does not want any more, if nobody has begun with it. */
  function takeBack(jobId: string, now: number): void {
    const row = actions.get(jobId);
    const job = jobRows.get(jobId);
    const record = row && accounts.get(row.account);
    if (row === null || job === null || record === null) return;
    if (!isUnderWay(row) && openStates.includes(row.state))
      cancel({ row: { ...row, enrollmentId: null }, job, record }, now);
  }

  /** Ends an action by somebody's word. */
  function end({ row, job, record }: Found, ended: ActionEnd, carriedOutAt: number = ended.at): void {
    const counts = ended.state === "completed" || ended.state === "unknown";
    actions.free(record, row);
    const { reference, at: now } = ended;
    actions.end(row, ended.state, { slotAt: counts ? carriedOutAt : null, reference, now });
    const isFine = ended.state === "completed" || ended.state === "skipped";
    jobRows.write(job, {
      status: isFine ? "completed" : "failed",
      progress: isFine ? 100 : job.progress,
      message: ended.message,
      metadata: { ...job.metadata, ...ended.metadata },
      leaseUntil: null,
      completedAt: ended.at,
      updatedAt: ended.at,
    });
    events.ended(record, row, ended);
    const before = contacts.get(record.seq, row.profileKey);
    const attempt = { wasSent: ended.state === "completed", shown: ended.relation, reference: ended.reference };
    contacts.noteAction({ ...row, account: record.seq }, row.actionType, attempt, carriedOutAt);
    if (ended.relation === "connected")
      campaigns.note(
        record.account.id,
        { profileKey: row.profileKey, kind: "accepted", at: ended.at },
        before?.relation === "pending" ? before.campaignId : null,
        ended.at,
      );
    campaigns.wake(row.enrollmentId, ended.at);
  }

  /** Ends an action that must not be sent any more. */
  function skip(target: Found, objection: Objection, now: number): void {
    end(target, {
      state: "skipped",
      message: `Not sent: ${objectionText(objection)}`,
      metadata: { outcome: "skipped", skipReason: objection.kind },
      reference: null,
      relation: null,
      at: now,
    });
  }

  /** As `end`, and answers how the action stands then. */
  function ended(target: Found, how: ActionEnd, carriedOutAt?: number): ActionChange {
    end(target, how, carriedOutAt);
    return changed(target.row.jobId);
  }

  return { decide, record, change, enqueue, edit, again, cancel, takeBack, end, skip, ended, found };
}

export type Scheduling = ReturnType<typeof createScheduling>;

export function createScheduleStore({ writer }: Engine, parts: ScheduleParts, scheduling: Scheduling): ScheduleStore {
  const { decide, record, change, enqueue, edit, cancel, ended, found } = scheduling;
  const { suppressions } = parts;
  const personIn = (jobId: string) => () => {
    const row = parts.actions.get(jobId);
    return row === null ? [] : [personOf(row)];
  };
  return {
    schedule: (request, dryRun) =>
      suppressions.knowing(
        () => [personOf(request.action)],
        async () => (dryRun ? decide(request, false) : writer.writeForAnswer(() => decide(request, true))),
      ),
    record: (request, relation) =>
      suppressions.knowing(
        () => [personOf(request.action)],
        () => writer.writeForAnswer(() => record(request, relation)),
      ),
    approve: (userId, jobId, at) =>
      suppressions.knowing(personIn(jobId), () =>
        writer.writeForAnswer(() => change(userId, jobId, ["awaitingApproval"], (target) => enqueue(target, at))),
      ),
    edit: (userId, jobId, wanted, at) =>
      suppressions.knowing(personIn(jobId), () =>
        writer.write(() =>
          change(userId, jobId, ["awaitingApproval", "scheduled"], (target) => edit(target, wanted, at)),
        ),
      ),
    cancel: (userId, jobId, at) =>
      writer.writeForAnswer(() =>
        change(userId, jobId, cancellable, (target) =>
          isUnderWay(target.row) ? { kind: "refused", action: parts.actions.actionOf(target.row) } : cancel(target, at),
        ),
      ),
    resolve: (userId, jobId, how) =>
      writer.writeForAnswer(() =>
        // It counts from when it was tried, not from when somebody looked.
        change(userId, jobId, ["unknown"], (target) => ended(target, how, target.row.slotAt ?? how.at)),
      ),
    endHanded: (userId, jobId, waitsFor, how) =>
      writer.writeForAnswer(() =>
        change(userId, jobId, ["awaiting", "sending"], (target) =>
          waitsFor.some((reason) => reason === target.row.pendingReason || isFast(target, reason))
            ? ended(target, how)
            : { kind: "refused", action: parts.actions.actionOf(target.row) },
        ),
      ),
    action: async (userId, jobId) => {
      const target = found(userId, jobId);
      return target && { action: parts.actions.actionOf(target.row), job: target.job };
    },
  };
}

/** The receiver of a webhook may report before its own answer to the call has come here and was written down. */
function isFast({ row, record }: { row: ActionRow; record: AccountRecord }, waitsFor: PendingReason): boolean {
  const isInCall = row.state === "sending" && row.pendingReason === null;
  return isInCall && waitsFor === "awaitingVendor" && record.account.connector === "webhook";
}

/** Somebody has begun with it, who can't be told to stop. */
export function isUnderWay({ state, pendingReason }: Pick<ActionRow, "state" | "pendingReason">): boolean {
  return state === "sending" || (state === "awaiting" && pendingReason === "awaitingVendor");
}

const cancellable = ["awaitingApproval", "scheduled", "awaiting"] as const;
