import type { NewEvent } from "../../../platform/events/model.ts";
import type { Job } from "../../../platform/jobs/model.ts";
import type { ActionType } from "../action-kinds.ts";
import type { CoolDown, NetworkAccount } from "../account-model.ts";
import type { Meter } from "../meter-model.ts";
import type { ActionState, NetworkAction, PendingReason } from "../action-model.ts";
import type { NewMessage, NewsKind } from "../contact-model.ts";
import type { StoredAction, StoredContact } from "./facts.ts";

/** The outcome of a decision, and the changes that the store must write, in order and in one transaction. */
export type Decision<Outcome> = { outcome: Outcome; changes: readonly NetworkChange[] };

/** News for the feature that asked for an action, today a campaign. */
export type OriginNews =
  /** The action of an enrollment's step ended. */
  | {
      kind: "actionEnded";
      enrollmentId: string;
      step: number | null;
      actionType: ActionType;
      state: ActionState;
      /** When it was performed, if it was. */
      carriedOutAt: number;
      at: number;
    }
  /** The action was withdrawn without an outcome: its step starts again when the campaign continues. */
  | { kind: "actionWithdrawn"; enrollmentId: string; at: number }
  /** A person accepted or replied. `lastCampaignId`: campaign of the account's latest message or request to them. */
  | {
      kind: "person";
      news: NewsKind;
      accountId: string;
      profileKey: string;
      at: number;
      lastCampaignId: string | null;
      now: number;
    };

export type NetworkChange =
  /** A new action with its job. `used` 1: it counts as performed at its slot. */
  | { kind: "insert"; action: NetworkAction; account: number; used: 0 | 1; job: Job }
  /** These ended actions no longer count as twins. */
  | { kind: "closeTwins"; seqs: readonly number[] }
  /** `slotAt` null: it counts for no meter. */
  | {
      kind: "state";
      row: StoredAction;
      state: ActionState;
      pendingReason: PendingReason | null;
      used: 0 | 1;
      slotAt: number | null;
      at: number;
    }
  /** The action has ended. `reference`: the connector's ID for it, if it gave one. */
  | {
      kind: "end";
      row: StoredAction;
      state: ActionState;
      slotAt: number | null;
      reference: string | null;
      at: number;
    }
  | ({ kind: "content"; row: StoredAction; hasNote: boolean; at: number } & Content)
  | { kind: "notBefore"; row: StoredAction; notBefore: number }
  | { kind: "reference"; row: StoredAction; reference: string }
  /** Marked before the connector is called. `pendingReason` shows who performs it. */
  | { kind: "send"; row: StoredAction; pendingReason: PendingReason | null; at: number }
  /** The job gets a lease and one more attempt. */
  | { kind: "lease"; jobId: string; at: number; until: number }
  /** The job waits, in the queue (`pending`) or parked with a person or a vendor (`running`). */
  | {
      kind: "wait";
      jobId: string;
      status: "pending" | "running";
      runAt: number;
      leaseUntil: number | null;
      message: string;
      at: number;
    }
  | { kind: "job"; job: Job; change: Partial<Job> }
  /** A planned slot became free; only the earliest one of a meter is remembered. */
  | { kind: "freeSlot"; account: number; meter: Meter; at: number }
  /** The search for slots of this meter continues at `at`. */
  | { kind: "frontier"; account: number; meter: Meter; at: number }
  /** The earliest free slot before the frontier; null: none. */
  | { kind: "gap"; account: number; meter: Meter; at: number | null }
  | { kind: "coolDown"; account: number; coolDown: CoolDown }
  /** The queue of an account changed. `replan`: it must be rescheduled. */
  | { kind: "queue"; account: number; replan: boolean }
  /** New settings of an account. `replan` as above. */
  | { kind: "settings"; account: number; values: Partial<NetworkAccount>; replan: boolean }
  /** Actions waiting for a worker of this account return to the queue. */
  | { kind: "releaseWorkerQueue"; account: number }
  | { kind: "signOut"; account: number; reason: string; at: number }
  | { kind: "contact"; contact: StoredContact }
  /** A message that is not stored yet. */
  | { kind: "reported"; message: NewMessage }
  | { kind: "event"; event: NewEvent }
  | { kind: "origin"; news: OriginNews };

/** The content of an action and its earliest time. */
export type Content = Pick<StoredAction, "message" | "details" | "notBefore" | "targetKey">;
