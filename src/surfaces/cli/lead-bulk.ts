import type { Command } from "commander";
import type { BulkCounts } from "../../features/leads/bulk-job-model.ts";
import type { Api } from "./api.ts";
import { confirmDeletion } from "./confirm.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag, wholeNumberFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { followJob, interruptible, type WatchedJob } from "./job-watch.ts";
import {
  addLeadFilterFlags,
  leadFiltersIn,
  queryOf,
  type LeadFilterFlags,
  type LeadFilters,
} from "./lead-filter-flags.ts";
import { addPatchFlags, patchIn, type PatchFlags } from "./lead-patch-flags.ts";
import { filtersText } from "./lead-text.ts";
import { countOf, createProgress, formatCount, type ProgressState } from "./progress.ts";
import type { ConnectionFlags } from "./session.ts";

type UserFlags = ConnectionFlags & { user?: string };
type BulkFlags = UserFlags &
  LeadFilterFlags &
  PatchFlags & {
    addToList?: string;
    removeFromList?: string;
    enrollIn?: string;
    delete?: boolean;
    all?: boolean;
    dryRun?: boolean;
    yes?: boolean;
    expect?: number;
    watch?: string;
  };
type BulkJob = WatchedJob & { metadata: Partial<BulkCounts> & { operation?: string } };

/** `leads bulk`: changes all leads that match filters, in a job of the server. */
export function addLeadBulk(group: Command, context: CommandContext): void {
  const bulk = group
    .command("bulk")
    .description("Change, enroll, or delete all leads that match the filters, and wait for the result.");
  addPatchFlags(bulk)
    .option("--add-to-list <NAME>", "List to add them to.")
    .option("--remove-from-list <NAME>", "List to remove them from.")
    .option("--enroll-in <CAMPAIGN_ID>", "Campaign to enroll them in.")
    .option("--delete", "Delete them permanently.")
    .option("--dry-run", "Only count the leads that match.")
    .option("--all", "Without filters, all leads.")
    .option("--yes", "Delete more than 100 without asking.")
    .option("--expect <NUMBER>", "Change nothing if more leads match than this.", wholeNumberFlag(0, 1e9))
    .option("--watch <JOB_ID>", "Only wait for a change that is running, and show its result.");
  addConnectionFlags(addUserFlag(addLeadFilterFlags(bulk))).action((flags: BulkFlags) =>
    forUser(
      context,
      flags,
      (api, userId) =>
        flags.watch === undefined ? change(api, flags, userId, context) : watch(api, flags.watch, userId, context),
      { runsJobs: true },
    ),
  );
}

async function change(api: Api, flags: BulkFlags, userId: string | undefined, context: CommandContext): Promise<void> {
  const filter = await leadFiltersIn(api, flags, userId);
  if (Object.keys(filter).length === 0 && flags.all !== true)
    throw new CommandError(exitCodes.usage, "No filters. To change all leads, add --all.", {
      hint: "`outreachd leads bulk --help` lists the filters.",
    });
  const operation = operationIn(flags);
  const isDryRun = flags.dryRun === true;
  if (operation === null && !isDryRun)
    throw new CommandError(
      exitCodes.usage,
      "Nothing to change: send --set-status, --add-tag, --remove-tag, --assign-to, --add-to-list, --remove-from-list, --enroll-in, or --delete.",
    );
  const isDeletion = flags.delete === true;
  const count = isDryRun || isDeletion ? await countMatching(api, filter, userId) : 0;
  if (isDryRun)
    return present(context, { matching: count, filter }, `${countOf(count, "lead")} match ${filtersText(filter)}.`);
  if (isDeletion) await confirmDeletion(context, count, flags.yes === true);
  // Leads that match after the person has seen the number are not deleted.
  const expectedCount = flags.expect ?? (isDeletion ? count : undefined);
  const job = await api.post<BulkJob>("/leads/bulk", { filter, ...operation, expectedCount, userId });
  await watch(api, job.id, userId, context);
}

function operationIn(flags: BulkFlags): Record<string, unknown> | null {
  const { addToList, removeFromList, enrollIn: campaignId } = flags;
  const operation = {
    ...patchIn(flags),
    ...(addToList !== undefined && { addToList }),
    ...(removeFromList !== undefined && { removeFromList }),
    ...(campaignId !== undefined && { campaignId }),
    ...(flags.delete === true && { delete: true }),
  };
  return Object.keys(operation).length === 0 ? null : operation;
}

async function countMatching(api: Api, filters: LeadFilters, userId: string | undefined): Promise<number> {
  const { total } = await api.get<{ total: number }>("/leads", { ...queryOf(filters), limit: 1, userId });
  return total;
}

function watch(api: Api, jobId: string, userId: string | undefined, context: CommandContext): Promise<void> {
  return interruptible(context, async (signal) => {
    const progress = createProgress(context);
    const onProgress = (job: BulkJob) => progress.show(progressOf(job));
    let job: BulkJob;
    try {
      job = await followJob<BulkJob>(api, jobId, { userId, signal, onProgress, isExpected });
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new CommandError(exitCodes.interrupted, stillRunning(api, jobId));
    } finally {
      progress.clear();
    }
    await finish(job, context);
  });
}

const isExpected = ({ type = "lead_bulk" }: WatchedJob) => type === "lead_bulk";

async function finish(job: BulkJob, context: CommandContext): Promise<void> {
  const { id, status, message, metadata } = job;
  if (!isExpected(job)) throw new CommandError(exitCodes.failed, `Job ${id} is not a change of leads.`);
  const { operation, ...counts } = metadata;
  const skipped = Object.entries(counts.skipped ?? {}).map(([reason, n]) => `  ${reason}  ${formatCount(n)}`);
  const document = { event: "finished", jobId: id, status, message, operation, ...counts };
  await present(context, document, [`${message}.`, ...skipped].join("\n"));
  if (status === "failed") throw new CommandError(exitCodes.failed, `The change failed: ${message}`);
}

function progressOf({ id, progress, status, message, metadata }: BulkJob): ProgressState {
  const { total = 0, processed = 0, changed = 0 } = metadata;
  const counts = `${formatCount(processed)} of ${countOf(total, "lead")}: ${formatCount(changed)} done`;
  const document = { phase: "change", jobId: id, percent: progress, total, processed, changed };
  return { percent: progress, text: status === "pending" ? message : counts, document };
}

function stillRunning({ connection }: Api, jobId: string): string {
  const where =
    connection.kind === "own"
      ? "The change continues once a server runs on this data directory (outreachd serve)."
      : "The change continues on the server.";
  return `${where} To follow it: outreachd leads bulk --watch ${jobId}. To stop it: outreachd jobs cancel ${jobId}`;
}
