import { InvalidArgumentError, type Command } from "commander";
import { flagName, showValue, variableName, type OptionTable } from "../../app/config/sources.ts";
import { filesOptions } from "../../app/config/files-options.ts";
import { serverOptions } from "../../app/config/options.ts";
import { wholeNumber, type Parse } from "../../app/config/values.ts";
import { clientOptions } from "./client-options.ts";

/** Options of the server that a command with connection flags reads, beside those without a flag. */
const { data, database, files } = serverOptions;
export const connectionOptions = { data, database, files };

/** Flags of commands that use a server: which server, or which data directory or database. */
export function addConnectionFlags(command: Command): Command {
  addJsonFlag(command).optionsGroup("Connection:");
  addFlags(command, connectionOptions);
  addConfigFileFlag(command);
  return addFlags(command, clientOptions);
}

/** For commands that act as a user. */
export function addUserFlag(command: Command): Command {
  const description = "User to act as (email or ID). Default: the only user, otherwise the first admin.";
  return command.option("--user <EMAIL|ID>", description);
}

/** All server options, for commands that run the server or explain options. */
export function addServerFlags(command: Command, options: OptionTable = serverOptions): Command {
  return addFlags(addConfigFileFlag(addJsonFlag(command)).optionsGroup("Server:"), options);
}

/**
 * Returns the server options used on a command line, because describing all of them to the parser takes a large part of
 * a start. Returns all of them if the command line has any other flag: it may be --help, or a misspelled one that needs
 * a suggestion.
 */
export function namedServerOptions(args: readonly string[]): OptionTable {
  const flags = args.filter((word) => word.startsWith("-")).map((word) => word.replace(/=.*$/s, ""));
  if (flags.length === 0) return {};
  const options = new Map(Object.entries(serverOptions).map((entry) => [flagName(...entry), entry]));
  const others = ["--json", "--config"];
  if (!flags.every((flag) => options.has(flag) || others.includes(flag))) return serverOptions;
  return Object.fromEntries([...options].filter(([flag]) => flags.includes(flag)).map(([, entry]) => entry));
}

/** Flags of commands that use the data directory and its backups, or the database. */
export function addDataFlags(command: Command): Command {
  const { backupTo, backupS3Endpoint, backupS3Region, backupS3AccessKeyId, backupS3SecretAccessKey } = serverOptions;
  const s3 = { backupS3Endpoint, backupS3Region, backupS3AccessKeyId, backupS3SecretAccessKey };
  const options = { data, database, ...filesOptions, backupTo, ...s3 };
  return addConfigFileFlag(addFlags(addJsonFlag(command).optionsGroup("Connection:"), options));
}

/** Flags of the command that copies between engines. */
export function addCopyFlags(command: Command): Command {
  const { database, databasePrepare } = serverOptions;
  const { filesScratchBytes: _, ...files } = filesOptions;
  const options = { database, databasePrepare, ...files };
  return addConfigFileFlag(addFlags(addJsonFlag(command).optionsGroup("Server:"), options));
}

/** Flags of commands that need the address of a server on this machine. */
export function addListenFlags(command: Command): Command {
  const { listen } = serverOptions;
  return addConfigFileFlag(addFlags(addJsonFlag(command), { listen, data }));
}

export function addJsonFlag(command: Command): Command {
  return command.option(
    "--json",
    "Print JSON on standard output: one document, or one line per event for long-running commands.",
  );
}

/** Collects the values of a repeatable flag. */
export function repeated(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

/** Collects the pairs of a repeatable flag NAME=VALUE. */
export function pairs(example: string) {
  return (value: string, previous: Record<string, string> = {}): Record<string, string> => {
    const at = value.indexOf("=");
    if (at < 1) throw new InvalidArgumentError(`Expected NAME=VALUE, such as ${example}.`);
    return { ...previous, [value.slice(0, at)]: value.slice(at + 1) };
  };
}

/** Parses a flag with a parser of the configuration, whose error becomes a usage error. */
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
  return command.option("--config <FILE>", "TOML file with options (names without --). [OUTREACHD_CONFIG]");
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
