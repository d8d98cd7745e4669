import type { NetworkAccount } from "../account-model.ts";
import { changedWeek } from "../governor/calendar.ts";
import type { AccountChange } from "../queue-model.ts";
import type { Decision, NetworkChange } from "./changes.ts";
import { accountEvent } from "./events.ts";
import type { StoredAccount } from "./facts.ts";

/** Changes the settings of an account; its queue is planned again if slots depend on them. */
export function decideAccountUpdate(record: StoredAccount, change: AccountChange): Decision<NetworkAccount> {
  const { workingHours: days, ...settings } = change;
  const { account, seq } = record;
  const values = { ...settings, ...(days && { workingHours: changedWeek(account.workingHours, days) }) };
  const replan = planSettings.some((name) => name in change);
  const changes: NetworkChange[] = [{ kind: "settings", account: seq, values, replan }];
  // Workers no longer claim these actions.
  if (change.connector !== undefined && change.connector !== "worker")
    changes.push({ kind: "releaseWorkerQueue", account: seq });
  const { state } = change;
  if (state !== undefined && state !== "active" && state !== account.state) {
    const type = state === "paused" ? "account.paused" : "account.reconnect_required";
    changes.push(accountEvent(type, record, change.updatedAt));
  }
  return { outcome: { ...account, ...values }, changes };
}

/** Settings that slots depend on. */
const planSettings = [
  "connector",
  "tier",
  "timeZone",
  "workingHours",
  "holidays",
  "caps",
  "warmUp",
  "spacing",
  "sessions",
  "jitterPercent",
  "state",
] as const satisfies (keyof AccountChange)[];
