import type { Command } from "commander";
import { version } from "../../platform/base/version.ts";
import { present, type CommandContext } from "./context.ts";
import { addJsonFlag } from "./flags.ts";

export function addVersionCommand(program: Command, context: CommandContext): void {
  const command = program.command("version").description("Show the version of this program and of what it runs on.");
  addJsonFlag(command).action(async () => {
    const report = { version, bun: Bun.version, platform: `${process.platform} ${process.arch}` };
    await present(context, report, `outreachd ${version} (Bun ${report.bun}, ${report.platform})`);
  });
}
