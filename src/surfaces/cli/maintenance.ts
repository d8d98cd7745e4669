import type { Command } from "commander";
import type { OperationsView } from "../../platform/operations/model.ts";
import type { Api } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { addConnectionFlags } from "./flags.ts";
import { withApi, type ConnectionFlags } from "./session.ts";

export function addMaintenanceCommand(program: Command, context: CommandContext): void {
  const group = program
    .command("maintenance")
    .description("Refuse changes for a while: requests that only read work, nothing is sent, and no job begins.");
  const on = group
    .command("on")
    .description("Turn maintenance mode on. It survives a restart of the server.")
    .option("--message <TEXT>", "Shown to everyone whose request is refused, and in the dashboard.");
  addConnectionFlags(on).action((flags: ConnectionFlags & { message?: string }) =>
    withApi(context, flags, (api) => set(api, { enabled: true, message: flags.message ?? null }, context)),
  );
  const off = group.command("off").description("Turn maintenance mode off: requests and jobs continue.");
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
