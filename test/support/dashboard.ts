import type { AccountView } from "../../src/features/network/account-model.ts";
import type { SessionView } from "../../src/features/workspaces/sessions/model.ts";
import { session, sessionState } from "../../src/surfaces/dashboard/app/session.ts";

/** Somebody is signed in, with these permissions. */
export function signIn(permissions: string[], isAdmin = false): void {
  const instant = "2030-01-01T00:00:00.000Z";
  const user: SessionView["user"] = {
    id: "u1",
    email: "ada@example.com",
    name: "Ada",
    role: isAdmin ? "admin" : "member",
    timeZone: "UTC",
    isActive: true,
    createdAt: instant,
    updatedAt: instant,
  };
  const workspace = { id: "u1", name: "Ada", role: "owner" };
  const key = { id: "k0", name: "browser", requiresApproval: false };
  session.value = { user, workspace, isAdmin, key, permissions, version: "1.0.0" };
  sessionState.value = "signedIn";
}

/** The button or tab with this name. */
export function button(place: HTMLElement, name: string): HTMLElement {
  const found = [...place.querySelectorAll<HTMLElement>("button")].find(
    (one) => (one.getAttribute("aria-label") ?? one.textContent.trim()) === name,
  );
  if (found === undefined) throw new Error(`Expected a button "${name}" in ${place.innerHTML}`);
  return found;
}

const office = [{ from: "09:00", to: "18:00" }];
export const account: AccountView = {
  id: "a1",
  name: "Ada",
  connector: "manual",
  connectorSettings: {},
  tier: "premium",
  timeZone: "UTC",
  workingHours: {
    monday: office,
    tuesday: office,
    wednesday: office,
    thursday: office,
    friday: office,
    saturday: [],
    sunday: [],
  },
  holidays: [],
  caps: { all: { week: null } },
  warmUp: { perDay: 5, addPerDay: 3, startedAt: "2030-01-01T00:00:00.000Z" },
  spacing: { medianSeconds: 240, minSeconds: 90 },
  sessions: { minMinutes: 45, maxMinutes: 60, minBreakMinutes: 10, maxBreakMinutes: 20 },
  jitterPercent: 15,
  state: "active",
  stateReason: null,
  requiresApproval: false,
  withdrawAfterDays: null,
  memberId: null,
  isShared: true,
  createdAt: "2030-01-01T00:00:00.000Z",
  updatedAt: "2030-01-01T00:00:00.000Z",
};
