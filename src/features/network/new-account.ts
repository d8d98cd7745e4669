import {
  defaultJitterPercent,
  defaultSessions,
  defaultSpacing,
  defaultWarmUp,
  defaultWorkingHours,
  type ConnectorName,
  type NetworkAccount,
} from "./account-model.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";

/** An account with conservative defaults, shared with all members. */
export function newAccount(
  id: string,
  workspaceId: WorkspaceId,
  timeZone: string,
  connector: ConnectorName,
  now: number,
  memberId: UserId | null,
): NetworkAccount {
  return {
    id,
    workspaceId,
    name: "default",
    connector,
    connectorSettings: {},
    tier: "premium",
    timeZone,
    workingHours: defaultWorkingHours,
    holidays: [],
    caps: {},
    warmUp: { ...defaultWarmUp, startedAt: now },
    spacing: defaultSpacing,
    sessions: defaultSessions,
    jitterPercent: defaultJitterPercent,
    state: "active",
    stateReason: null,
    requiresApproval: false,
    withdrawAfterDays: null,
    memberId,
    isShared: true,
    createdAt: now,
    updatedAt: now,
  };
}
