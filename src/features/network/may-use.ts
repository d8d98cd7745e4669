import { denied, type Caller } from "../../platform/auth/caller.ts";
import { managesWorkspace } from "../../platform/auth/member-role.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import type { NetworkAccount } from "./account-model.ts";

/** Who acts with accounts. `memberRole` is null for a global key, which may use every account. */
export type AccountUser = Pick<Caller, "memberRole" | "permissions"> & {
  workspaceId: WorkspaceId;
  userId: UserId | null;
};

/** The caller who schedules an action. `needsApproval`: the key may only propose actions. */
export type Scheduler = AccountUser & { needsApproval: boolean };

/** Whether somebody acts with an account: their own, a shared one, and for owners and admins of the workspace any. */
export function mayUse(user: Pick<AccountUser, "memberRole" | "userId">, account: AccountOf): boolean {
  return account.isShared || mayAdminister(user, account);
}

/** Whether somebody decides whose account it is, and whether it is shared. */
export function mayAdminister(
  { memberRole, userId }: Pick<AccountUser, "memberRole" | "userId">,
  { memberId }: Pick<AccountOf, "memberId">,
): boolean {
  return memberRole === null || managesWorkspace(memberRole) || (userId !== null && userId === memberId);
}

type AccountOf = Pick<NetworkAccount, "memberId" | "isShared">;

/** Throws PERMISSION_DENIED unless the user `mayUse` the account. */
export function requireUsable(user: AccountUser, account: AccountOf & Pick<NetworkAccount, "name">): void {
  if (mayUse(user, account)) return;
  throw denied(
    user,
    "*",
    `The network account "${account.name}" belongs to another member and is not shared. Use your own, or ask them or an admin of the workspace to share it.`,
  );
}

/** The first own account, or else the first that the user may act with. */
export function defaultAccount(user: AccountUser, accounts: readonly NetworkAccount[]): NetworkAccount | null {
  const usable = accounts.filter((account) => mayUse(user, account));
  return usable.find(({ memberId }) => memberId !== null && memberId === user.userId) ?? usable[0] ?? null;
}

/** Who sends a request, as one who acts with accounts. */
export function accountUser({
  caller: { memberRole, permissions },
  workspaceId,
  userId,
}: {
  caller: Caller;
  workspaceId: WorkspaceId;
  userId: UserId | null;
}): AccountUser {
  return { workspaceId, userId, memberRole, permissions };
}

/** Who sends a request, as one who schedules actions. */
export function schedulerOf(context: Parameters<typeof accountUser>[0]): Scheduler {
  return { ...accountUser(context), needsApproval: context.caller.requiresApproval };
}
