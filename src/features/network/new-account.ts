import {
  defaultJitterPercent,
  defaultSessions,
  defaultSpacing,
  defaultWarmUp,
  defaultWorkingHours,
  type ConnectorName,
  type NetworkAccount,
} from "./account-model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** An account with conservative defaults. */
export function newAccount(
  id: string,
  workspaceId: WorkspaceId,
  timeZone: string,
  connector: ConnectorName,
  now: number,
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
    caps: {},
    warmUp: { ...defaultWarmUp, startedAt: now },
    spacing: defaultSpacing,
    sessions: defaultSessions,
    jitterPercent: defaultJitterPercent,
    state: "active",
    stateReason: null,
    requiresApproval: false,
    withdrawAfterDays: null,
    createdAt: now,
    updatedAt: now,
  };
}
