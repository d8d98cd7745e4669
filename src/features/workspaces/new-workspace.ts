import type { Member, Workspace } from "../../platform/auth/workspace-model.ts";
import type { FieldError } from "../../platform/base/errors.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import type { ConnectorName } from "../network/account-model.ts";
import { isTimeZone } from "../network/governor/zone.ts";
import { newAccount } from "../network/new-account.ts";
import type { NewWorkspace } from "./store.ts";

export type WorkspaceDefaults = {
  /** Null: the time zone of this machine. */
  timeZone: string | null;
  connector: ConnectorName;
  credits: number;
};

type Wanted = { id: WorkspaceId; ownerId: UserId; name: string; timeZone: string };

/** A workspace with what every workspace starts with: an owner, a network account, and an initial credit grant. */
export function newWorkspace(
  { id, ownerId, name, timeZone }: Wanted,
  { connector, credits }: WorkspaceDefaults,
  now: number,
  nextId: () => string,
): Omit<NewWorkspace, "audit"> {
  const times = { createdAt: now, updatedAt: now };
  const workspace: Workspace = { id, name, timeZone, ...times };
  const member: Member = {
    workspaceId: id,
    userId: ownerId,
    role: "owner",
    permissions: null,
    isActive: true,
    ...times,
  };
  const account = newAccount(nextId(), id, timeZone, connector, now, ownerId);
  const grant = {
    id: nextId(),
    workspaceId: id,
    kind: "grant",
    amount: credits,
    note: "Initial grant",
    createdAt: now,
  } as const;
  return { workspace, member, account, grant: credits > 0 ? grant : null };
}

export function defaultTimeZone({ timeZone }: Pick<WorkspaceDefaults, "timeZone">): string {
  return timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function timeZoneErrors(timeZone: string): FieldError[] {
  if (isTimeZone(timeZone)) return [];
  return [
    {
      path: "timeZone",
      message: `"${timeZone}" is not an IANA time zone. Examples: Europe/Berlin, America/New_York, UTC.`,
    },
  ];
}
