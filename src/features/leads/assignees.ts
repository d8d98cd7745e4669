import type { Acting } from "../../platform/auth/access.ts";
import type { MemberRole } from "../../platform/auth/member-role.ts";
import type { HolderLookup } from "../../platform/auth/workspace-model.ts";
import { invalid, type ApiError } from "../../platform/base/errors.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";

/** The part of the workspace store that knows who works with leads. */
export type TeamLookup = HolderLookup & {
  members(
    id: WorkspaceId,
  ): Promise<{ member: { userId: UserId; role: MemberRole; isActive: boolean }; user: { isActive: boolean } }[]>;
};

/** Viewers only look, and custom roles may not see leads at all. */
const inTurn: readonly MemberRole[] = ["owner", "admin", "member"];

/** Finds the members to whom leads are assigned. */
export class LeadAssignees {
  readonly #team: TeamLookup;

  constructor(team: TeamLookup) {
    this.#team = team;
  }

  /**
   * The members that a word stands for: `me`, `roundRobin`, or a user ID; none without a word. Throws VALIDATION_ERROR for
   * `assignTo` if it matches no active member.
   */
  async named({ workspaceId, userId }: Acting, word: string | undefined): Promise<UserId[]> {
    if (word === undefined) return [];
    const refuse = (message: string) => invalid([{ path: "assignTo", message }]);
    if (word === "roundRobin") {
      const found = await this.inTurn(workspaceId);
      if (found.length > 0) return found;
      throw refuse("The workspace has no active owner, admin, or member.");
    }
    const wanted = word === "me" ? userId : word;
    if (wanted === null)
      throw refuse("`me` stands for the user of the API key, and this key has none. Send a user ID.");
    if (!(await this.isActive(workspaceId, wanted))) throw refuse(notAMember(wanted));
    return [wanted];
  }

  /** Active members to whom leads are assigned in turn, oldest membership first. */
  async inTurn(workspaceId: WorkspaceId): Promise<UserId[]> {
    const members = await this.#team.members(workspaceId);
    return members
      .filter(({ member, user }) => member.isActive && user.isActive && inTurn.includes(member.role))
      .map(({ member }) => member.userId);
  }

  async isActive(workspaceId: WorkspaceId, userId: UserId): Promise<boolean> {
    return (await this.#team.holder(workspaceId, userId)) !== null;
  }

  /**
   * Throws VALIDATION_ERROR for the field `assignedTo` unless a user is an active member, before anything is changed: whether
   * they still are is asked again by the transaction that assigns a lead.
   */
  async require(workspaceId: WorkspaceId, userId: UserId): Promise<void> {
    if (!(await this.isActive(workspaceId, userId))) throw notAssignable(userId);
  }
}

/** VALIDATION_ERROR for the field `assignedTo`. */
export function notAssignable(userId: UserId): ApiError {
  return invalid([{ path: "assignedTo", index: 0, message: notAMember(userId) }]);
}

function notAMember(userId: string): string {
  return `${userId} is not the ID of an active member of the workspace. GET /api/v2/members lists them.`;
}
