import type { Command } from "commander";
import { commitDate, version } from "../../platform/base/version.ts";
import type { CommandContext } from "./context.ts";
import { exitCodeHelp } from "./exit-codes.ts";
import { renderManual } from "./manual.ts";

const help = `
With the executable from a release, install.sh has installed the page: man outreachd`;

/** `loadWhole`: the program with every command. */
export function addManCommand(
  loadWhole: (context: CommandContext) => Promise<Command>,
  firstSteps: string,
): (program: Command, context: CommandContext) => void {
  return (program, context) => {
    program
      .command("man")
      .description("Print the manual page, outreachd(1), which describes every command and option.")
      .addHelpText("after", help)
      .action(async () => {
        const facts = { version, date: commitDate, firstSteps, exitCodes: exitCodeHelp };
        await context.terminal.out(renderManual(await loadWhole(context), facts));
      });
  };
}
