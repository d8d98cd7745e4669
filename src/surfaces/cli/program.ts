import { Command, CommanderError } from "commander";
import { ConfigError } from "../../app/config/config.ts";
import { StartError } from "../../platform/base/start-error.ts";
import { version } from "../../platform/base/version.ts";
import { createContext, type CommandContext } from "./context.ts";
import { addExamples } from "./examples.ts";
import { CommandError, exitCodeHelp, exitCodes, type ExitCode } from "./exit-codes.ts";

const description = "Outreach automation for a small team: one program, one data directory, an HTTP API.";

const firstSteps = `
First steps:
  outreachd serve                               start; the first start shows the admin's API key
  outreachd user create ada@example.com --key   add a person, with a key; on empty data, the admin
  outreachd import leads people.csv             import your leads
  outreachd config                              show every option and where it was set

Commands use the server that runs on the data directory (--data), or the directory itself if none does, or the
PostgreSQL database that --database or OUTREACHD_DATABASE names.
For a server elsewhere set OUTREACHD_URL and OUTREACHD_API_KEY.`;

/** `args`: the command line, if it is for this command. */
type AddCommand = (program: Command, context: CommandContext, args?: readonly string[]) => void;

/** By first word, in the order of the help. */
const commands = new Map<string, () => Promise<AddCommand>>([
  ["serve", async () => (await import("./serve.ts")).addServeCommand],
  ["user", async () => (await import("./user.ts")).addUserCommands],
  ["member", async () => (await import("./member.ts")).addMemberCommands],
  ["invite", async () => (await import("./invite.ts")).addInviteCommands],
  ["workspace", async () => (await import("./workspace.ts")).addWorkspaceCommands],
  ["key", async () => (await import("./key.ts")).addKeyCommands],
  ["leads", async () => (await import("./leads.ts")).addLeadCommands],
  ["import", async () => (await import("./import.ts")).addImportCommands],
  ["export", async () => (await import("./export.ts")).addExportCommand],
  ["suppress", async () => (await import("./suppress.ts")).addSuppressCommands],
  ["person", async () => (await import("./person.ts")).addPersonCommands],
  ["enrich", async () => (await import("./enrich.ts")).addEnrichCommand],
  ["credits", async () => (await import("./credits.ts")).addCreditsCommand],
  ["accounts", async () => (await import("./accounts.ts")).addAccountCommands],
  ["campaigns", async () => (await import("./campaigns.ts")).addCampaignCommands],
  ["inbox", async () => (await import("./inbox.ts")).addInboxCommands],
  ["actions", async () => (await import("./actions.ts")).addActionCommands],
  ["voices", async () => (await import("./voices.ts")).addVoiceCommands],
  ["webhooks", async () => (await import("./webhooks.ts")).addWebhookCommands],
  ["jobs", async () => (await import("./jobs.ts")).addJobCommands],
  ["notifications", async () => (await import("./notifications.ts")).addNotificationCommands],
  ["search", async () => (await import("./search.ts")).addSearchCommand],
  ["backup", async () => (await import("./backup.ts")).addBackupCommand],
  ["restore", async () => (await import("./restore.ts")).addRestoreCommand],
  ["copy", async () => (await import("./copy.ts")).addCopyCommand],
  ["maintenance", async () => (await import("./maintenance.ts")).addMaintenanceCommand],
  ["nodes", async () => (await import("./nodes.ts")).addNodesCommand],
  ["clock", async () => (await import("./clock.ts")).addClockCommand],
  ["doctor", async () => (await import("./doctor.ts")).addDoctorCommand],
  ["api", async () => (await import("./call.ts")).addApiCommand],
  ["mcp", async () => (await import("./mcp.ts")).addMcpCommand],
  ["config", async () => (await import("./config.ts")).addConfigCommand],
  ["health", async () => (await import("./health.ts")).addHealthCommand],
  ["service", async () => (await import("./service.ts")).addServiceCommands],
  ["upgrade", async () => (await import("./upgrade.ts")).addUpgradeCommand],
  ["completion", async () => (await import("./completion.ts")).addCompletionCommand(createWholeProgram)],
  ["man", async () => (await import("./man.ts")).addManCommand(createWholeProgram, firstSteps)],
  ["version", async () => (await import("./version.ts")).addVersionCommand],
  ["licenses", async () => (await import("./licenses.ts")).addLicensesCommand],
]);

/** Describes every command, with all of its flags. */
export async function createWholeProgram(context: CommandContext): Promise<Command> {
  const program = new Command("outreachd").description(description).option("--help").option("--version");
  for (const load of commands.values()) (await load())(program, context);
  return program;
}

/**
 * Runs a command line (without the program name) and returns the exit code. Expected failures are printed: as text on
 * standard error or, with --json, as one document on standard output. Bugs are thrown.
 */
export async function runCommandLine(
  args: readonly string[],
  world: Pick<CommandContext, "env" | "terminal" | "backend" | "signals">,
): Promise<ExitCode> {
  const context = createContext(world);
  try {
    await parse(args, context);
    return context.exitCode;
  } catch (error) {
    return await report(error, context);
  }
}

async function parse(args: readonly string[], context: CommandContext): Promise<void> {
  const help: string[] = [];
  const program = await createProgram(context, help, args);
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(withKnownCommand(program, withUsualFlag(args)), { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.code === "commander.unknownCommand") await hint(args, context);
    throw error;
  } finally {
    if (help.length > 0) await context.terminal.out(help.join(""));
  }
}

/** Not everything in the API has a command: points to the operations that an unknown command may have meant. */
async function hint(args: readonly string[], { terminal }: CommandContext): Promise<void> {
  const word = (args[0] === "help" ? args.slice(1) : args).find((each) => !each.startsWith("-"));
  if (word === undefined || commands.has(word)) return;
  const { operationHint } = await import("./operation-hints.ts");
  const text = operationHint(word);
  if (text !== null) terminal.err(`${text}\n`);
}

/** Programs differ in which of -v and -V shows the version, so both do. */
function withUsualFlag(args: readonly string[]): readonly string[] {
  return args[0] === "-V" ? ["--version", ...args.slice(1)] : args;
}

/**
 * Removes --help from `args` if they contain an unknown command. Otherwise, commander would show the parent command's
 * help and report success.
 */
function withKnownCommand(program: Command, args: readonly string[]): readonly string[] {
  const asked = args[0] === "help" ? args.slice(1) : args;
  let command = program;
  for (const word of asked.filter((each) => !each.startsWith("-"))) {
    if (command.commands.length === 0) break;
    const found = command.commands.find((each) => each.name() === word);
    if (found === undefined && word !== "help") return asked.filter((each) => each !== "--help" && each !== "-h");
    command = found ?? command;
  }
  return args;
}

/** Each command takes milliseconds to load and describe, so only the requested one is added; help shows all. */
async function createProgram(context: CommandContext, help: string[], args: readonly string[]): Promise<Command> {
  const named = commands.get(args[0] ?? "");
  const additions = await Promise.all((named ? [named] : [...commands.values()]).map((load) => load()));
  const program = new Command("outreachd")
    .description(description)
    .version(version, "-v, --version", "Show the version.")
    .helpOption("-h, --help", "Show help.")
    .helpCommand("help [command]", "Show help for a command.")
    .configureOutput({
      writeOut: (text) => void help.push(text),
      writeErr: (text) => context.terminal.err(text),
      getOutHelpWidth: () => context.terminal.columns,
      getErrHelpWidth: () => context.terminal.columns,
    })
    .showHelpAfterError("(use --help for usage)")
    .exitOverride()
    .hook("preAction", (_, command) => {
      context.json = command.opts()["json"] === true;
    })
    .addHelpText("after", firstSteps)
    .addHelpText("after", exitCodeHelp);
  for (const add of additions) add(program, context, named && args);
  addExamples(program);
  return program;
}

async function report(error: unknown, context: CommandContext): Promise<ExitCode> {
  // Commander also throws for help and version; its errors are already printed.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  // `outreachd export leads | head`: the reader stopped reading, which is fine.
  if (isClosedOutput(error)) return exitCodes.ok;
  const failure = asCommandError(error);
  if (failure === null) throw error;
  const { message, hint, problems, code } = failure;
  if (context.json) {
    await printDocument({ error: true, code: code ?? null, message, problems, hint: hint ?? null }, context);
  } else {
    // Ctrl-C is not an error to report.
    const opening = failure.exitCode === exitCodes.interrupted ? message : `Error: ${message}`;
    const lines = [opening, ...problems.map((problem) => `  - ${problem}`), ...(hint ? [hint] : [])];
    context.terminal.err(`${lines.join("\n")}\n`);
  }
  return failure.exitCode;
}

/** Standard output itself may have failed. */
async function printDocument(
  document: { message: string; [field: string]: unknown },
  { terminal }: CommandContext,
): Promise<void> {
  try {
    await terminal.out(`${JSON.stringify(document)}\n`);
  } catch (error) {
    if (!isClosedOutput(error)) terminal.err(`Error: ${document.message}\n`);
  }
}

function isClosedOutput(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}

function asCommandError(error: unknown): CommandError | null {
  if (error instanceof CommandError) return error;
  if (error instanceof StartError)
    return new CommandError(exitCodes.failed, error.message, { ...(error.hint && { hint: error.hint }), cause: error });
  if (error instanceof ConfigError)
    return new CommandError(exitCodes.usage, "The configuration is invalid.", {
      problems: error.problems.map(({ option, message }) => `${option}: ${message}`),
      hint: "See `outreachd config --help` for all options.",
      cause: error,
    });
  return null;
}
