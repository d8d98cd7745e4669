import {
  defaultJitterPercent,
  defaultSessions,
  defaultSpacing,
  defaultWarmUp,
  defaultWorkingHours,
  type ConnectorName,
  type NetworkAccount,
} from "./account-model.ts";

/** An account with conservative defaults. */
export function newAccount(
  id: string,
  userId: string,
  timeZone: string,
  connector: ConnectorName,
  now: number,
): NetworkAccount {
  return {
    id,
    userId,
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
