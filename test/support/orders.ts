import type { NetworkAccount } from "../../src/features/network/account-model.ts";
import {
  defaultJitterPercent,
  defaultSessions,
  defaultSpacing,
  defaultWorkingHours,
} from "../../src/features/network/account-model.ts";
import type { ActionOrder } from "../../src/features/network/connector.ts";
import { canonicalProfileUrl } from "../../src/platform/identity/profile-url.ts";
import { startOfTests } from "./clock.ts";

let made = 0;

/** An order of its own for a connector: a connection request to Ada unless it says otherwise. */
export function orderOf(overrides: Partial<ActionOrder> = {}): ActionOrder {
  made++;
  const profileUrl = overrides.profileUrl ?? "https://www.linkedin.com/in/ada";
  return {
    jobId: `job-${made}`,
    actionType: "sendConnectionRequest",
    profileUrl,
    profileKey: canonicalProfileUrl(profileUrl) ?? profileUrl,
    message: null,
    details: {},
    audio: null,
    ...overrides,
  };
}

export function accountOf(overrides: Partial<NetworkAccount> = {}): NetworkAccount {
  return {
    id: "account-1",
    workspaceId: "user-1",
    name: "Main account",
    connector: "manual",
    connectorSettings: {},
    tier: "premium",
    timeZone: "UTC",
    workingHours: defaultWorkingHours,
    caps: {},
    warmUp: null,
    spacing: defaultSpacing,
    sessions: defaultSessions,
    holidays: [],
    jitterPercent: defaultJitterPercent,
    state: "active",
    stateReason: null,
    requiresApproval: false,
    withdrawAfterDays: null,
    memberId: null,
    isShared: true,
    createdAt: startOfTests,
    updatedAt: startOfTests,
    ...overrides,
  };
}
