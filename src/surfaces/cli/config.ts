import type { Command } from "commander";
import { describeConfig } from "../../app/config/config.ts";
import type { OptionReport } from "../../app/config/describe.ts";
import { present, type CommandContext } from "./context.ts";
import { addServerFlags } from "./flags.ts";
import { renderTable } from "./table.ts";

export function addConfigCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("config")
    .description("Show every server option with its value, the origin of the value, and a description.");
  addServerFlags(command).action(async (flags: Record<string, unknown>) => {
    const options = describeConfig({ flags, env: context.env });
    await present(context, { options }, configText(options));
  });
}

function configText(options: readonly OptionReport[]): string {
  const rows = options.map(({ name, value, unit, origin, env }) => [
    name,
    value === null || value === "" ? "(none)" : value + (unit === null ? "" : ` ${unit}`),
    origin,
    env,
  ]);
  const table = renderTable(["OPTION", "VALUE", "FROM", "VARIABLE"], rows);
  const explanations = options.map(({ flag, description }) => `${flag}\n    ${description}`).join("\n");
  return `${table}\n\nEach option is also a flag of \`outreachd serve\` and, without the dashes, a key in the --config file:\n\n${explanations}`;
}
