import type { Command } from "commander";
import { isoTime } from "../../platform/base/clock.ts";
import { loadConfig } from "../../app/config/config.ts";
import { present, type CommandContext } from "./context.ts";
import { withEmbeddedStorage } from "./direct-storage.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addDataFlags } from "./flags.ts";

export function addClockCommand(program: Command, context: CommandContext): void {
  const group = program.command("clock").description("Correct the time of the data after the system clock was wrong.");
  const accept = group
    .command("accept")
    .description(
      "Accept the current system time after the clock was ahead, so that sending does not wait for the old time. Actions sent " +
        "meanwhile count against their caps from now on. The server must be stopped. Recorded in the audit log.",
    );
  addDataFlags(accept).action((flags: Record<string, unknown>) => acceptClock(flags, context));
}

async function acceptClock(flags: Record<string, unknown>, context: CommandContext): Promise<void> {
  const config = loadConfig({ flags, env: context.env });
  if (config.database !== null)
    throw new CommandError(
      exitCodes.failed,
      "There is nothing to accept: nodes on PostgreSQL use the clock of the database.",
    );
  const { auditEntry } = await import("../../platform/auth/audit/entry.ts");
  await withEmbeddedStorage(config, async (storage, clock) => {
    if ((await storage.simulation.read()) !== null)
      throw new CommandError(exitCodes.failed, "A simulation has its own clock, which is never behind.");
    const now = clock.now();
    const latest = await storage.operations.latestTime();
    const wasAheadMs = Math.max(0, (latest ?? now) - now);
    if (wasAheadMs === 0) {
      const document = { accepted: false, latest: isoTime(now), actions: 0 };
      return await present(context, document, "The clock is not behind: there is nothing to accept.");
    }
    const details = { from: isoTime(latest!), to: isoTime(now) };
    const entry = auditEntry(null, now, { action: "clock.accepted", workspaceId: null, via: "commandLine", details });
    const { actions } = await storage.operations.acceptTime(now, entry);
    await present(
      context,
      { accepted: true, latest: details.to, previous: details.from, actions },
      `Clock accepted. The time is now ${details.to}, and was ${details.from}. ` +
        `${actions} actions that were sent meanwhile count against their caps from now on.`,
    );
  });
}
