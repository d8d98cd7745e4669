import { resolve } from "node:path";
import type { Command } from "commander";
import type { BackupRunView } from "../../features/backup/model.ts";
import type { Api } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { chunksOf } from "./export.ts";
import { addConnectionFlags } from "./flags.ts";
import { openOutputFile } from "./output-file.ts";
import { createProgress, formatBytes } from "./progress.ts";
import { withApi, type ConnectionFlags } from "./session.ts";

type BackupFlags = ConnectionFlags & { output?: string };

const betweenLooksMs = 200;

export function addBackupCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("backup")
    .description("Back up the database and all files to one archive. Works while the server runs.")
    .option(
      "--output <FILE>",
      "File to write. It appears, or replaces an existing file, only once it is complete. Default: the destination --backup-to, where the oldest backups of this data directory beyond --backup-keep are deleted.",
    );
  addConnectionFlags(command).action((flags: BackupFlags) =>
    // A temporary directory would be deleted together with the backups in it.
    withApi(context, flags, (api) => backup(api, flags.output, context), { keepsDataDir: true }),
  );
}

async function backup(api: Api, output: string | undefined, context: CommandContext): Promise<void> {
  // Checked first, so that a wrong path wastes no work.
  const file = output === undefined ? null : await openOutputFile(output, { secret: true });
  const interrupt = { requested: false };
  const release = context.signals.listen(() => (interrupt.requested = true));
  const progress = createProgress(context);
  try {
    let run = await api.post<BackupRunView>("/backups", { prune: file === null });
    while (run.status === "running") {
      // A server continues the backup, but the service in this process ends with us.
      if (interrupt.requested)
        throw new CommandError(exitCodes.interrupted, `Interrupted: the backup ${run.name} is not complete.`);
      const document = { phase: "backup", name: run.name, percent: run.progress };
      await progress.show({ percent: run.progress, text: run.message, document });
      await Bun.sleep(betweenLooksMs);
      run = await api.get<BackupRunView>(`/backups/${run.name}`);
    }
    if (run.status === "failed") throw new CommandError(exitCodes.failed, run.message);
    if (file !== null) {
      for await (const chunk of chunksOf(await api.download(`/backups/${run.name}/download`, {})))
        await file.write(chunk);
      await file.complete();
      await api.delete(`/backups/${run.name}`);
    }
    progress.clear();
    const place = file === null ? (await api.get<{ place: string }>("/backups")).place : null;
    const path = file === null ? `${place}/${run.name}` : resolve(file.path);
    await present(context, { event: "finished", file: path, ...run }, finishedText(path, run));
  } catch (error) {
    await file?.discard();
    throw error;
  } finally {
    release();
    progress.clear();
  }
}

function finishedText(path: string, { bytes, missing }: BackupRunView): string {
  const lines = [`Created the backup ${path} (${formatBytes(bytes ?? 0)}).`];
  for (const { name, reason } of missing)
    lines.push(
      `Missing from it: ${name}, which ${reason === "gone" ? "no longer existed" : "changed while it was read"}.`,
    );
  return lines.join("\n");
}
