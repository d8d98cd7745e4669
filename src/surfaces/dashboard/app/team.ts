import { useEffect, useState } from "preact/hooks";
import type { MemberView } from "../../../features/workspaces/members/model.ts";
import { getAll } from "./api.ts";
import { can, session } from "./session.ts";

export type MemberRole = MemberView["role"];

export const roleLabels: Record<MemberRole, { label: string; hint: string }> = {
  owner: { label: "Owner", hint: "Does everything." },
  admin: { label: "Admin", hint: "Does everything, except change owners." },
  member: { label: "Member", hint: "Works with everything, but does not manage members, webhooks, or backups." },
  viewer: { label: "Viewer", hint: "Reads." },
  custom: { label: "Custom", hint: "Has the permissions that you select." },
};

/** A newer server may know roles that this page does not. */
export function roleLabel(role: string): string {
  return role in roleLabels ? roleLabels[role as MemberRole].label : role;
}

/** The members of the workspace. Empty until they are loaded, without the permission, and unless `isWanted`. */
export function useMembers(isWanted = true): readonly MemberView[] {
  const isAsked = isWanted && can("users:read");
  const [members, setMembers] = useState<readonly MemberView[]>([]);
  useEffect(() => {
    if (!isAsked) return undefined;
    const abort = new AbortController();
    // A page shows its own data even if the names of members cannot be loaded.
    getAll<MemberView>("/members", "members", abort).then(setMembers, () => {});
    return () => abort.abort();
  }, [isAsked]);
  return members;
}

/** What a member is called. */
export function memberName({ name, email }: Pick<MemberView, "name" | "email">): string {
  return name ?? email;
}

/** Name of the member with this ID; those who have left are not known by name. */
export function nameOfMember(members: readonly MemberView[], userId: string): string {
  const self = session.value?.user;
  if (userId === self?.id) return memberName(self);
  const found = members.find((member) => member.userId === userId);
  return found === undefined ? "A former member" : memberName(found);
}

/** Members to choose from, for a field that may stay empty; `chosen` is kept even if they have left. */
export function memberChoices(members: readonly MemberView[], chosen: string | null = null) {
  const active = members
    .filter(({ isActive }) => isActive)
    .map((one) => ({ value: one.userId, label: memberName(one) }));
  const isKnown = chosen === null || chosen === "" || active.some(({ value }) => value === chosen);
  return isKnown ? active : [...active, { value: chosen, label: nameOfMember(members, chosen) }];
}

/** "AL" for "Ada Lovelace", and for ada.lovelace@example.com. */
export function initialsOf(name: string): string {
  const words = name
    .replace(/@.*/, "")
    .split(/[\s._-]+/)
    .filter((word) => word !== "");
  const [first = "?", last] = words.length > 1 ? [words[0], words.at(-1)] : words;
  return [first, last ?? ""]
    .map((word) => (word === "" ? "" : String.fromCodePoint(word.codePointAt(0)!)))
    .join("")
    .toUpperCase();
}

/** Whether the signed-in user manages the members and settings of the workspace. */
export function isManager(): boolean {
  const role = session.value?.workspace.role;
  return (role === "owner" || role === "admin") && can("users:write");
}
