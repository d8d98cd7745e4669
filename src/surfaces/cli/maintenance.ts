import type { Command } from "commander";
import type { OperationsView } from "../../platform/operations/model.ts";
import type { Api } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { addConnectionFlags } from "./flags.ts";
import { withApi, type ConnectionFlags } from "./session.ts";

export function addMaintenanceCommand(program: Command, context: CommandContext): void {
  const group = program
    .command("maintenance")
    .description("Reject changes temporarily: reads still work, nothing is sent, and no job starts.");
  const on = group
    .command("on")
    .description("Enable maintenance mode. It survives a server restart.")
    .option("--message <TEXT>", "Message in the error response of rejected requests, and in the dashboard.");
  addConnectionFlags(on).action((flags: ConnectionFlags & { message?: string }) =>
    withApi(context, flags, (api) => set(api, { enabled: true, message: flags.message ?? null }, context)),
  );
  const off = group.command("off").description("Disable maintenance mode: requests and jobs continue.");
  addConnectionFlags(off).action((flags: ConnectionFlags) =>
    withApi(context, flags, (api) => set(api, { enabled: false }, context)),
  );
  const status = group.command("status").description("Show whether maintenance mode is on.");
  addConnectionFlags(status).action((flags: ConnectionFlags) =>
    withApi(context, flags, async (api) => show(await api.get<OperationsView>("/operations"), context)),
  );
}

async function set(
  api: Api,
  input: { enabled: boolean; message?: string | null },
  context: CommandContext,
): Promise<void> {
  await show(await api.put<OperationsView>("/operations/maintenance", input), context);
}

async function show({ maintenance }: OperationsView, context: CommandContext): Promise<void> {
  const { enabled, since, message } = maintenance;
  const text = enabled
    ? `Maintenance mode is on since ${since}.${message ? ` ${message}` : ""}`
    : "Maintenance mode is off.";
  await present(context, maintenance, text);
}
