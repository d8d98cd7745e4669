import type { WorkspaceId } from "../../platform/base/ids.ts";
/**
 * The ID of a prospect: its number in the directory of its user, and a checksum over both, so that the ID of another user's
 * prospect is invalid. It is not stored.
 */
export function prospectId(workspaceId: WorkspaceId, number: number): string {
  return `prs_${hex(number)}${hex(checkOf(workspaceId, number))}`;
}

/** The number in an ID; null if the text is not the ID of a prospect of this user. */
export function numberOf(workspaceId: WorkspaceId, id: string): number | null {
  const [, numberHex = "", check] = /^prs_([0-9a-f]{8})([0-9a-f]{8})$/.exec(id) ?? [];
  const number = Number.parseInt(numberHex, 16);
  return check === undefined || hex(checkOf(workspaceId, number)) !== check ? null : number;
}

function checkOf(workspaceId: WorkspaceId, number: number): number {
  return Bun.hash.xxHash32(`${workspaceId}\n${number}`);
}

function hex(number: number): string {
  return number.toString(16).padStart(8, "0");
}
