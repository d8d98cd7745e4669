import type { ConnectorName, NetworkAccount } from "../../network/account-model.ts";
import { nextVersion } from "../../leads/decisions.ts";
import { leadIdentity } from "../../leads/identity.ts";
import { mergedContent } from "../../leads/merge.ts";
import type { Lead, LeadIdentity } from "../../leads/model.ts";
import type { Member, Workspace } from "../../../platform/auth/workspace-model.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { JobStatus, JobType } from "../../../platform/jobs/model.ts";
import type { Invitation } from "../invitations/model.ts";
import type { Merged } from "./model.ts";

/** Jobs with these statuses refuse a merge, because they hold on to what it moves. */
export const blockingStatuses: readonly JobStatus[] = ["pending", "running"];
/** Except those of actions, which wait in the queue of their account, and that moves as a whole. */
export const typeOfMovedJobs: JobType = "linkedin_action";

/** Where the payload of a job names its workspace once more. */
export const workspaceInPayload = ["scope", "workspaceId"] as const;

/** The lead of the remaining workspace, completed by the same person's lead of the other one, as an import does it. */
export function unitedLead(kept: Lead, gone: Lead, at: number): { lead: Lead; identity: LeadIdentity } {
  const content = mergedContent(kept, gone);
  // Newer than both, because the ID of the other one leads to it from now on.
  const version = Math.max(kept.version, gone.version) + 1;
  return { lead: { ...nextVersion(kept, content, at), version }, identity: leadIdentity(content) };
}

/**
 * The new name of a request for credits. A client can have used the same name in both workspaces; charges must stay
 * apart, or the second would look paid.
 */
export function renamedRequest(request: string, from: WorkspaceId): string {
  return `${request} (${from})`;
}

/**
 * The members that the remaining workspace gets. Owners of the workspace that ends become admins: the owners of the other
 * one decide about more. Who is a member of both keeps the role in the remaining workspace.
 */
export function newMembers(
  moving: readonly Member[],
  staying: readonly Member[],
  into: WorkspaceId,
  at: number,
): Member[] {
  const known = new Set(staying.map(({ userId }) => userId));
  return moving
    .filter(({ userId }) => !known.has(userId))
    .map((member) => ({
      ...member,
      workspaceId: into,
      role: member.role === "owner" ? "admin" : member.role,
      updatedAt: at,
    }));
}

type Invited = Pick<Invitation, "id" | "emailKey">;

/** IDs of invitations that end: the remaining workspace has invited the person too, or they are a member of it. */
export function obsoleteInvitations(
  moving: readonly Invited[],
  staying: readonly Invited[],
  emailKeysOfMembers: Iterable<string>,
): string[] {
  const known = new Set([...staying.map(({ emailKey }) => emailKey), ...emailKeysOfMembers]);
  return moving.filter(({ emailKey }) => known.has(emailKey)).map(({ id }) => id);
}

export type MovingAccount = Pick<NetworkAccount, "id" | "name" | "connector" | "connectorSettings" | "state">;
export type AccountChange = Pick<NetworkAccount, "id"> &
  Partial<Pick<NetworkAccount, "name" | "state" | "stateReason">>;

/** Vendors whose settings say which account of the network it is. */
const vendors: readonly ConnectorName[] = ["unipile", "linkedapi"];
const pausedReason = "The workspace has the same account twice since a merge.";

/** What changes about accounts that move, besides their workspace. Those that are not returned stay as they are. */
export function accountChanges(
  moving: readonly MovingAccount[],
  staying: readonly MovingAccount[],
  from: Pick<Workspace, "name">,
): AccountChange[] {
  const names = new Set(staying.map(({ name }) => name));
  return moving.flatMap((account) => {
    // Both workspaces often have one with the name "default".
    const renamed = names.has(account.name) && { name: renamedAccount(account.name, from.name) };
    // Both would count what is sent through one account against caps of their own.
    const isTwin = staying.some((other) => isSameAccount(account, other));
    const paused = isTwin && account.state === "active" && ({ state: "paused", stateReason: pausedReason } as const);
    return renamed || paused ? [{ id: account.id, ...renamed, ...paused }] : [];
  });
}

/** Names of the moved accounts that are paused, in the order of the changes. */
export function namesOfPaused(moving: readonly MovingAccount[], changes: readonly AccountChange[]): string[] {
  const names = new Map(moving.map(({ id, name }) => [id, name]));
  return changes.flatMap(({ id, name, state }) => (state === "paused" ? (name ?? names.get(id) ?? []) : []));
}

function isSameAccount(one: MovingAccount, other: MovingAccount): boolean {
  return (
    vendors.includes(one.connector) &&
    one.connector === other.connector &&
    Bun.deepEquals(one.connectorSettings, other.connectorSettings)
  );
}

/** Both parts are shortened, so that the name is not too long. */
function renamedAccount(name: string, workspace: string): string {
  return `${startOf(name, 100)} (${startOf(workspace, 90)})`;
}

/** The first characters, of which none is cut in two. */
function startOf(text: string, most: number): string {
  return Array.from(text).slice(0, most).join("");
}

/** `before`: how many rows both workspaces had; `after`: how many the remaining one has now. */
export function mergedCounts(before: { from: number; into: number }, after: number): Merged {
  const moved = after - before.into;
  return { moved, united: before.from - moved };
}
