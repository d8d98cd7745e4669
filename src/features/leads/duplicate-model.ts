import type { WorkspaceId } from "../../platform/base/ids.ts";
import type { Lead } from "./model.ts";

/** What the leads of a group have in common, in the order of the list. */
export const duplicateReasons = ["email", "name", "profile"] as const;
export type DuplicateReason = (typeof duplicateReasons)[number];

/** More leads of a group are not read. */
export const mostInGroup = 20;

/** The last group of the previous page. */
export type DuplicatePlace = { reason: DuplicateReason; value: string };

export type DuplicateRequest = { workspaceId: WorkspaceId; limit: number; after: DuplicatePlace | null };

/** `value`: what they have in common, folded. Leads: oldest first. */
export type DuplicateGroup = DuplicatePlace & { leads: Lead[] };
