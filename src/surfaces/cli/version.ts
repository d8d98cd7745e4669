import type { Command } from "commander";
import { commit, schema, version } from "../../platform/base/version.ts";
import { present, type CommandContext } from "./context.ts";
import { addJsonFlag } from "./flags.ts";

export function addVersionCommand(program: Command, context: CommandContext): void {
  const command = program.command("version").description("Show the version of this program and of what it runs on.");
  addJsonFlag(command).action(async () => {
    const report = { version, commit, schema, bun: Bun.version, platform: `${process.platform} ${process.arch}` };
    const schemas = `schema ${schema.sqlite} (SQLite) and ${schema.postgres} (PostgreSQL)`;
    const lines = [`outreachd ${version}`, `  Commit    ${commit ?? "unknown: running from source"}`];
    const text = [...lines, `  Database  ${schemas}`, `  Runtime   Bun ${report.bun}, ${report.platform}`].join("\n");
    await present(context, report, text);
  });
}
