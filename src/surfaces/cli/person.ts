import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { Api } from "./api.ts";
import { present, remark, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { openOutputFile } from "./output-file.ts";
import { formatCount } from "./progress.ts";
import type { ConnectionFlags } from "./session.ts";
import { renderTable } from "./table.ts";

type PersonFlags = ConnectionFlags & { user?: string; team?: boolean; onlyThis?: boolean };
type EraseFlags = PersonFlags & { yes?: boolean; suppress: boolean };
type Counts = Record<string, number>;
type Erasure = {
  dryRun: boolean;
  jobId: string | null;
  identifiers: { emails: string[]; profileUrls: string[]; phones: string[]; leadIds: string[] };
  records: Counts;
  mentions: Counts;
};
type Job = { id: string; status: string; message: string; metadata: { records?: Counts; waiting?: number } };

const lookEveryMs = 250;
/** A running action may take days to end. The job waits for it, so the command need not. */
const lookForMs = 60_000;

/** `person export` and `person erase`. */
export function addPersonCommands(program: Command, context: CommandContext): void {
  const group = program
    .command("person")
    .description("Export or erase the data stored about a person (GDPR, articles 15 and 17).");
  const describe = (name: string, description: string): Command => {
    const command = group
      .command(name)
      .description(description)
      .argument("<WHO>", "Email address, profile URL, or lead ID")
      .option("--team", "Include the data of all workspaces; for admins.")
      .option("--only-this", "Match only this identifier; for an address that several people share.");
    return addConnectionFlags(addUserFlag(command));
  };

  describe("export", "Export everything stored about a person as one JSON document.")
    .option("--output <FILE>", "File to write. It appears only once it is complete. Default: standard output.")
    .action((who: string, flags: PersonFlags & { output?: string }) =>
      forUser(context, flags, async (api, userId) => {
        const document = await api.post<Record<string, unknown>>("/privacy/export", inputOf(who, flags, userId));
        const text = `${JSON.stringify(document, null, 2)}\n`;
        if (flags.output === undefined) return context.terminal.out(text);
        await writeTo(flags.output, text);
        const file = resolve(flags.output);
        const { length } = document["records"] as unknown[];
        await present(context, { file, records: length }, `Exported ${formatCount(length)} entries to ${file}.`);
      }),
    );

  describe("erase", "Erase a person everywhere. Shows what would be erased; --yes erases it permanently.")
    .option("--yes", "Erase.")
    .option("--no-suppress", "Do not retain hashes of their addresses on the do-not-contact list.")
    .action((who: string, flags: EraseFlags) =>
      forUser(context, flags, (api, userId) => erase(api, who, flags, userId, context), { runsJobs: true }),
    );
}

async function erase(
  api: Api,
  who: string,
  flags: EraseFlags,
  userId: string | undefined,
  context: CommandContext,
): Promise<void> {
  const input = { ...inputOf(who, flags, userId), suppress: flags.suppress, dryRun: flags.yes !== true };
  const erasure = await api.post<Erasure>("/privacy/erase", input);
  if (erasure.jobId === null) return present(context, erasure, foretold(erasure, flags));
  const job = await ended(api, erasure.jobId, userId);
  if (job.status === "failed") throw new CommandError(exitCodes.failed, job.message);
  if (job.status !== "completed") remark(context, `The job ${job.id} continues: ${job.message}.`);
  const records = job.metadata.records ?? {};
  await present(
    context,
    { ...erasure, status: job.status, erased: records },
    `${job.message}.\n${tableOf(records, {})}`,
  );
}

/** Returns the job once it has ended, or once watching it longer is pointless. */
async function ended(api: Api, jobId: string, userId: string | undefined): Promise<Job> {
  const until = Date.now() + lookForMs;
  for (;;) {
    const job = await api.get<Job>(`/users/jobs/${encodeURIComponent(jobId)}`, { userId });
    const isOver = job.status === "completed" || job.status === "failed";
    if (isOver || (job.metadata.waiting ?? 0) > 0 || Date.now() > until) return job;
    await sleep(lookEveryMs);
  }
}

function inputOf(who: string, { team, onlyThis }: PersonFlags, userId: string | undefined): Record<string, unknown> {
  const person = who.includes("/") ? { networkUrl: who } : who.includes("@") ? { email: who } : { leadId: who };
  return { ...person, scope: team ? "team" : "user", follow: onlyThis !== true, userId };
}

async function writeTo(path: string, text: string): Promise<void> {
  const file = await openOutputFile(path);
  try {
    await file.write(new TextEncoder().encode(text));
    await file.complete();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

function foretold({ identifiers, records, mentions }: Erasure, { yes }: EraseFlags): string {
  const { emails, profileUrls, phones, leadIds } = identifiers;
  const known = [...emails, ...profileUrls, ...phones, ...leadIds.map((id) => `lead ${id}`)];
  const next = yes ? "Nothing to erase." : "Nothing was erased. Add --yes to erase this data permanently.";
  return [`Identifiers: ${known.join(", ")}`, tableOf(records, mentions), next].join("\n");
}

function tableOf(records: Counts, mentions: Counts): string {
  const rows = [
    ...Object.entries(records).map(([place, count]) => [place, formatCount(count), ""]),
    ...Object.entries(mentions).map(([place, count]) => [place, formatCount(count), "mentions, redacted"]),
  ];
  return rows.length === 0 ? "No data found for this person." : renderTable(["PLACE", "ENTRIES", ""], rows);
}
