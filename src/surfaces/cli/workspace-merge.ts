import { Option, type Command } from "commander";
import type { Storage } from "../../adapters/storage/storage.ts";
import { loadConfig } from "../../app/config/config.ts";
import {
  mergedKinds,
  type MergedKind,
  type MergeOutcome,
  type MergeReport,
} from "../../features/workspaces/merge/model.ts";
import type { Workspace } from "../../platform/auth/workspace-model.ts";
import { canonicalEmail } from "../../platform/identity/email.ts";
import { present, type CommandContext } from "./context.ts";
import { withStorage } from "./direct-storage.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addDataFlags } from "./flags.ts";
import { renderTable } from "./table.ts";

type MergeFlags = Record<string, unknown> & { yes?: boolean; dryRun?: boolean };

export function addWorkspaceMergeCommand(workspace: Command, context: CommandContext): void {
  const merge = workspace
    .command("merge")
    .description(
      "Move everything of one workspace into another, and remove it. Leads and prospects in both are merged, balances " +
        "added, and do-not-contact lists joined; its owners become admins. Shows what would happen, unless --yes is set. " +
        "Make a backup first: a merge cannot be undone. The server must be stopped; nodes on PostgreSQL can keep running.",
    )
    .argument("<FROM>", "Workspace that ends: its ID, or the email of a user with only one")
    .argument("<INTO>", "Workspace that remains")
    .option("--yes", "Merge.")
    .addOption(new Option("--dry-run", "Only show what would happen. The default.").conflicts("yes"));
  addDataFlags(merge).action((from: string, into: string, flags: MergeFlags) =>
    mergeWorkspaces(context, from, into, flags),
  );
}

async function mergeWorkspaces(
  context: CommandContext,
  wantedFrom: string,
  wantedInto: string,
  { yes = false, dryRun: _dryRun, ...flags }: MergeFlags,
): Promise<void> {
  const config = loadConfig({ flags, env: context.env });
  const { auditEntry } = await import("../../platform/auth/audit/entry.ts");
  await withStorage(context, config, flags, async (storage, clock) => {
    const [from, into] = [await workspaceOf(storage, wantedFrom), await workspaceOf(storage, wantedInto)];
    if (from.id === into.id)
      throw new CommandError(exitCodes.usage, "Both are the same workspace. Name the one that remains second.");
    const at = clock.now();
    const audit = auditEntry(null, at, {
      action: "workspace.merged",
      workspaceId: into.id,
      target: { type: "workspace", id: from.id },
      details: { name: from.name },
      via: "commandLine",
    });
    const outcome = await storage.merges.merge({ from: from.id, into: into.id, at, dryRun: !yes, audit });
    const report = reportOf(outcome);
    await present(
      context,
      { from: viewOf(from), into: viewOf(into), dryRun: !yes, ...report },
      textOf(report, from, into, yes),
    );
  });
}

async function workspaceOf({ workspaces, users }: Storage, wanted: string): Promise<Workspace> {
  const byId = await workspaces.get(wanted);
  if (byId !== null) return byId;
  const user = await users.byAddress(canonicalEmail(wanted));
  if (user === null)
    throw new CommandError(
      exitCodes.failed,
      `There is no workspace with the ID ${wanted}, and no user with this email.`,
      {
        hint: "`outreachd workspace list` shows the IDs.",
      },
    );
  const [first, ...more] = await workspaces.ofUser(user.id);
  if (first !== undefined && more.length === 0) return first.workspace;
  const ids = [first, ...more].flatMap((each) => (each === undefined ? [] : [each.workspace.id]));
  const problem =
    ids.length === 0 ? "is a member of no workspace" : `is a member of several workspaces: ${ids.join(", ")}`;
  throw new CommandError(exitCodes.failed, `${user.email} ${problem}. Name a workspace by its ID.`);
}

function reportOf(outcome: MergeOutcome): MergeReport {
  switch (outcome.kind) {
    case "merged":
      return outcome.report;
    case "absent":
      throw new CommandError(exitCodes.failed, `There is no workspace with the ID ${outcome.id}.`);
    case "busy":
      throw new CommandError(
        exitCodes.failed,
        `${outcome.jobs} jobs of the two workspaces have not ended, such as imports or enrichments. Nothing was changed.`,
        { hint: "Let the server finish them, or cancel them." },
      );
  }
}

const labels: Record<MergedKind, string> = {
  leads: "Leads",
  prospects: "Prospects",
  doNotContact: "Do-not-contact entries",
  networkAccounts: "Network accounts",
  campaigns: "Campaigns",
  voices: "Voices",
  savedSearches: "Saved searches",
  webhooks: "Webhooks",
  members: "Members",
  invitations: "Invitations",
  keys: "API keys",
  jobs: "Jobs",
  events: "Events",
};

function textOf({ merged, credits, pausedAccounts }: MergeReport, from: Workspace, into: Workspace, done: boolean) {
  const rows = mergedKinds.map((kind) => [labels[kind], String(merged[kind].moved), String(merged[kind].united)]);
  const paused = pausedAccounts.map(
    (name) => `The network account ${name} ${done ? "was" : "would be"} paused: both workspaces have it.\n`,
  );
  const sum = credits.from + credits.into;
  const balance = `Credits: ${credits.from} + ${credits.into} = ${sum}\n`;
  const end = done
    ? `Merged ${from.name} into ${into.name}.`
    : `Nothing was changed. To merge ${from.name} into ${into.name}, repeat the command with --yes.`;
  return `${renderTable(["", "MOVED", "UNITED"], rows)}\n\n${balance}${paused.join("")}${end}`;
}

const viewOf = ({ id, name }: Workspace) => ({ id, name });
