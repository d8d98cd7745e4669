import { Option, type Command } from "commander";
import { jobStatuses, jobTypes, type JobStatistics, type JobView } from "../../platform/jobs/model.ts";
import type { Api, Query } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { addConnectionFlags, addUserFlag, wholeNumberFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { watchJob } from "./job-watch.ts";
import { countOf, formatCount } from "./progress.ts";
import type { ConnectionFlags } from "./session.ts";
import { renderTable, shortTime } from "./table.ts";

type UserFlags = ConnectionFlags & { user?: string };
type ListFlags = UserFlags & { status?: string; type?: string; limit: number };
type List = { jobs: JobView[]; statistics: JobStatistics };

export function addJobCommands(program: Command, context: CommandContext): void {
  const group = program
    .command("jobs")
    .description("List, follow, cancel, and retry background jobs: imports, trainings, network actions, and others.");

  const list = group
    .command("list")
    .description("List jobs, newest first, with their number by status.")
    .addOption(new Option("--status <STATUS>", "Only jobs with this status.").choices(jobStatuses))
    .addOption(new Option("--type <TYPE>", "Only jobs of this type.").choices(jobTypes))
    .option("--limit <NUMBER>", "Number of jobs.", wholeNumberFlag(1, 1000), 25);
  addConnectionFlags(addUserFlag(list)).action((flags: ListFlags) =>
    forUser(context, flags, async (api, userId) => {
      const { status, type, limit } = flags;
      const found = await listJobs(api, { status, type, limit }, userId);
      await present(context, found, listText(found));
    }),
  );

  const show = group.command("show <JOB_ID>").description("Show a job with its details.");
  addConnectionFlags(addUserFlag(show)).action((id: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const job = await api.get<JobView>(pathOf(id), { userId });
      await present(context, job, jobText(job));
    }),
  );

  const watch = group
    .command("watch <JOB_ID>")
    .description("Wait until a job has ended, and show its result. Exits with 1 if it fails.");
  addConnectionFlags(addUserFlag(watch)).action((id: string, flags: UserFlags) =>
    forUser(context, flags, (api, userId) => watchJob(api, id, userId, context), { runsJobs: true }),
  );

  addChange("cancel", "Cancel a job. What it has already stored is not removed.");
  addChange("retry", "Run a failed job again.");
  function addChange(name: "cancel" | "retry", description: string): void {
    const change = group.command(`${name} <JOB_ID>`).description(description);
    addConnectionFlags(addUserFlag(change)).action((id: string, flags: UserFlags) =>
      forUser(context, flags, async (api, userId) => {
        const job = await api.post<JobView>(`${pathOf(id)}/${name}`, { userId });
        await present(context, job, `${job.type} ${job.id}: ${job.status}. ${job.message}`);
      }),
    );
  }
}

const pathOf = (id: string) => `/users/jobs/${encodeURIComponent(id)}`;

/** The specification has one route for the key of a user, and another for a global key. */
function listJobs(api: Api, query: Query, userId: string | undefined): Promise<List> {
  const path = userId === undefined ? "/users/jobs" : `/users/jobs/userJobStatus/${encodeURIComponent(userId)}`;
  return api.get<List>(path, query);
}

function listText({ jobs, statistics }: List): string {
  if (jobs.length === 0) return "No jobs.";
  const rows = jobs.map(({ createdAt, type, status, progress, message, id }) => [
    ...[shortTime(createdAt), type, status === "running" ? `${status} ${Math.floor(progress)}%` : status],
    ...[message.replace(/\s+/g, " ").slice(0, 60), id],
  ]);
  const counts = jobStatuses.map((status) => `${formatCount(statistics[status])} ${status}`).join(", ");
  return `${renderTable(["TIME (UTC)", "TYPE", "STATUS", "MESSAGE", "ID"], rows)}\n\n${countOf(statistics.total, "job")}: ${counts}.`;
}

function jobText({ metadata, ...job }: JobView): string {
  const rows = Object.entries(job).flatMap(([name, value]) => (value === null ? [] : [[name, `${value}`]]));
  const details = Object.entries(metadata).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return renderTable(["FIELD", "VALUE"], [...rows, ...details]);
}
