import type { AuditEntry } from "../../../platform/auth/audit/model.ts";
import type { User } from "../../../platform/auth/user-model.ts";
import type { Member } from "../../../platform/auth/workspace-model.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import type { Identity } from "./model.ts";

/** What it takes to decide who a person is, as it is now. */
export type IdentityFacts = {
  /** The identity with this issuer and subject, with its user. */
  known: { identity: Identity; user: User } | null;
  /** The user with the person's address. */
  byAddress: User | null;
  /** Whether that user signs in by another account of the issuer. */
  isTaken: boolean;
  /** The workspace that new users join; null if it does not exist. */
  workspace: { id: WorkspaceId; timeZone: string; members: number } | null;
};

export type IdentityChange = {
  /** Written in place of an earlier one with the same ID. */
  identity: Identity;
  /** A new user with their membership; null if they exist. */
  newcomer: { user: User; member: Member } | null;
  audit: AuditEntry | null;
};

export type IdentityStore = {
  /**
   * Signs a person in, in one transaction: `decide` gets what is known of them and returns what to write. What it throws, the
   * promise rejects with, and nothing is changed. `workspaceId` null: the oldest workspace.
   */
  resolve(
    person: { issuer: string; subject: string; emailKey: string },
    workspaceId: WorkspaceId | null,
    decide: (facts: IdentityFacts) => IdentityChange,
  ): Promise<void>;
  /** Oldest first. */
  ofUser(userId: UserId): Promise<Identity[]>;
  /** False if the user has no such identity. */
  remove(userId: UserId, id: string, audit: AuditEntry): Promise<boolean>;
};
