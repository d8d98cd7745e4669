import { Option, type Command } from "commander";
import { leadStatuses } from "../../features/leads/model.ts";
import { repeated } from "./flags.ts";

export type PatchFlags = { setStatus?: string; addTag?: string[]; removeTag?: string[]; assignTo?: string };

/** Flags of what changes in several leads. */
export function addPatchFlags(command: Command): Command {
  return command
    .addOption(new Option("--set-status <STATUS>", "New status.").choices(leadStatuses))
    .option("--add-tag <TAG>", "Tag to add. Repeat it for several.", repeated)
    .option("--remove-tag <TAG>", "Tag to remove. Repeat it for several.", repeated)
    .option("--assign-to <MEMBER>", "Member to assign them to (user ID), roundRobin for all in turn, or none.");
}

/** As in the body of a request; empty without any. */
export function patchIn({ setStatus: status, addTag: addTags, removeTag: removeTags, assignTo }: PatchFlags) {
  return {
    ...(status !== undefined && { status }),
    ...(addTags !== undefined && { addTags }),
    ...(removeTags !== undefined && { removeTags }),
    ...(assignTo !== undefined && { assignedTo: assignTo === "none" ? null : assignTo }),
  };
}
