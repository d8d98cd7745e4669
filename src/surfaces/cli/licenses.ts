import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { embedLicenses } from "./licenses.macro.ts" with { type: "macro" };

export function addLicensesCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command("licenses")
    .description("Show the license of this program and of all its components.")
    .action(() => terminal.out(`${embedLicenses()}\n`));
}
