import type { Command } from "commander";
import { ConfigError, loadConfig } from "../../app/config/config.ts";
import { present, type CommandContext } from "./context.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Finding } from "./doctor/finding.ts";
import { addServerFlags } from "./flags.ts";
import { countOf } from "./progress.ts";

type DoctorFlags = Record<string, unknown> & { full?: boolean; offline?: boolean };

const signs = { ok: "✓", warning: "!", problem: "✗" } as const;

export function addDoctorCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("doctor")
    .description(
      "Check data, configuration, and environment. Works next to a running server. Exits with 1 if there are problems.",
    )
    .option("--full", "Check every index against its table and every reference; can take minutes.")
    .option(
      "--offline",
      "Contact no hosts, not even configured ones, except the server running on the data and the database.",
    );
  addServerFlags(command).action((flags: DoctorFlags) => doctor(flags, context));
}

async function doctor(flags: DoctorFlags, context: CommandContext): Promise<void> {
  const findings = await examine(flags, context);
  const isWell = findings.every(({ state }) => state !== "problem");
  if (!isWell) context.exitCode = exitCodes.failed;
  await present(context, { ok: isWell, findings }, textOf(findings));
}

async function examine(flags: DoctorFlags, { env }: CommandContext): Promise<Finding[]> {
  try {
    const config = loadConfig({ flags, env });
    const { examineAll } = await import("./doctor/examine.ts");
    const { examineConfigFile } = await import("./doctor/settings.ts");
    const findings = await examineAll(config, { full: flags.full === true, offline: flags.offline === true });
    return [...examineConfigFile({ flags, env }), ...findings];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const hint = "See `outreachd config --help` for all options. Nothing else was checked.";
    return error.problems.map(({ option, message }) => ({
      check: "configuration",
      state: "problem",
      message: `${option}: ${message}`,
      hint,
    }));
  }
}

function textOf(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ state, message, hint }) => [
    `${signs[state]} ${message}`,
    ...(hint === undefined ? [] : [`  ${hint}`]),
  ]);
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  const numbers = `${countOf(problems, "problem")}, ${countOf(warnings, "warning")}.`;
  return [...lines, "", problems + warnings === 0 ? "No problems found." : numbers].join("\n");
}
