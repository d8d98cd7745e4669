import { InvalidArgumentError, type Command } from "commander";
import { flagName, showValue, variableName, type OptionTable } from "../../app/config/sources.ts";
import { serverOptions } from "../../app/config/options.ts";
import { wholeNumber, type Parse } from "../../app/config/values.ts";
import { clientOptions } from "./client-options.ts";

/** For commands that talk to a server: which one, or which data directory. */
export function addConnectionFlags(command: Command): Command {
  addJsonFlag(command).optionsGroup("Where:");
  addFlags(command, { data: serverOptions.data });
  addConfigFileFlag(command);
  return addFlags(command, clientOptions);
}

/** For commands that act for a user. */
export function addUserFlag(command: Command): Command {
  const description = "Whom to act for, by e-mail or id. Default: the only user, else the first admin.";
  return command.option("--user <EMAIL|ID>", description);
}

/** Every option of the server, for commands that run or explain it. */
export function addServerFlags(command: Command, options: OptionTable = serverOptions): Command {
  return addFlags(addConfigFileFlag(addJsonFlag(command)).optionsGroup("Server:"), options);
}

/**
 * Those options of the server that a command line names: to describe all of them to the parser is a good part of a
 * start. All, when it has a flag that none of them is: help is asked for, or the right one is to be proposed.
 */
export function namedServerOptions(args: readonly string[]): OptionTable {
  const flags = args.filter((word) => word.startsWith("-")).map((word) => word.replace(/=.*$/s, ""));
  if (flags.length === 0) return {};
  const options = new Map(Object.entries(serverOptions).map((entry) => [flagName(...entry), entry]));
  const others = ["--json", "--config"];
  if (!flags.every((flag) => options.has(flag) || others.includes(flag))) return serverOptions;
  return Object.fromEntries([...options].filter(([flag]) => flags.includes(flag)).map(([, entry]) => entry));
}

/** Which data directory, and where its backups are. */
export function addDataFlags(command: Command): Command {
  const { data, backupTo, backupS3Endpoint, backupS3Region, backupS3AccessKeyId, backupS3SecretAccessKey } =
    serverOptions;
  const s3 = { backupS3Endpoint, backupS3Region, backupS3AccessKeyId, backupS3SecretAccessKey };
  return addConfigFileFlag(addFlags(addJsonFlag(command).optionsGroup("Where:"), { data, backupTo, ...s3 }));
}

/** Where a server of this machine listens. */
export function addListenFlags(command: Command): Command {
  const { data, listen } = serverOptions;
  return addConfigFileFlag(addFlags(addJsonFlag(command), { listen, data }));
}

export function addJsonFlag(command: Command): Command {
  return command.option("--json", "Answer as JSON on standard output: one document, or lines while work goes on.");
}

/** Collects a flag that may be given several times. */
export function repeated(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

/** Reads a flag's value with a parser of the configuration; its complaint becomes one about the usage. */
export function parsed<T>(parse: Parse<T>): (value: string) => T {
  return (value) => {
    try {
      return parse(value);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };
}

export const wholeNumberFlag = (min: number, max: number) => parsed(wholeNumber(min, max));

function addConfigFileFlag(command: Command): Command {
  return command.option("--config <FILE>", "TOML file with options, by their names without --. [OUTREACHD_CONFIG]");
}

function addFlags(command: Command, table: OptionTable): Command {
  for (const [key, option] of Object.entries(table)) {
    const variable = option.secret ? `${variableName(key)} or ${variableName(key)}_FILE` : variableName(key);
    const text = showValue(option, option.default);
    const fallback = text ? `, default ${text}` : "";
    const argument = option.canBeBare ? `[${option.argument}]` : `<${option.argument}>`;
    command.option(`${flagName(key, option)} ${argument}`, `${option.description} [${variable}${fallback}]`);
  }
  return command;
}
