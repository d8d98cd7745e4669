import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Command } from "commander";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addJsonFlag } from "./flags.ts";
import { reasonOf } from "./reason.ts";
import { embedUnit } from "./unit.macro.ts" with { type: "macro" };

type InstallFlags = { data?: string; config?: string; unit: string; print?: boolean; start?: boolean };

const unit = embedUnit();
/** The first line of the unit, by which a unit of ours is recognized. */
const mark = unit.slice(0, unit.indexOf("\n"));
const usualUnit = "/etc/systemd/system/outreachd.service";
const usualData = "/var/lib/outreachd";

export function addServiceCommands(program: Command, context: CommandContext): void {
  const group = program.command("service").description("Run the server as a service of systemd.");
  const install = group
    .command("install")
    .description("Write a unit for this executable. Replaces a unit that this command wrote before, and no other.")
    .option("--data <DIR>", `Data directory. Default: ${usualData}, which systemd creates.`)
    .option("--config <FILE>", "TOML file with options for the server.")
    .option("--unit <FILE>", "Where to write the unit.", usualUnit)
    .option("--print", "Only show the unit.")
    .option("--start", "Also start the service, now and with the machine.");
  addJsonFlag(install).action((flags: InstallFlags) => installService(flags, context));
}

/** Directories that ProtectHome and PrivateTmp of the unit hide from the service. */
const hidden = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"];

/** Throws unless the service can see the executable, its data, and its configuration. */
export function requireVisible(executable: string, { data, config }: Pick<InstallFlags, "data" | "config">): void {
  const isHidden = (path: string) => hidden.some((directory) => `${resolve(path)}/`.startsWith(`${directory}/`));
  const refuse = (path: string, hint: string) => {
    throw new CommandError(
      exitCodes.failed,
      `The service cannot see ${path}: systemd hides ${hidden.join(", ")} from it.`,
      {
        hint,
      },
    );
  };
  if (isHidden(executable))
    refuse(
      executable,
      `Move the executable, then run it there: sudo install ${executable} /usr/local/bin/outreachd && sudo /usr/local/bin/outreachd service install`,
    );
  if (data !== undefined && isHidden(data)) refuse(resolve(data), "Choose another directory, such as /srv/outreachd.");
  if (config !== undefined && isHidden(config))
    refuse(resolve(config), "Move the file, for example to /etc/outreachd.toml.");
}

/** Throws if a data directory needs the user `outreachd`, and the machine has none. */
export function requireServiceUser(data: string | undefined, hasUser: (name: string) => boolean): void {
  if (data === undefined || resolve(data) === usualData || hasUser("outreachd")) return;
  throw new CommandError(
    exitCodes.failed,
    `With its data in ${resolve(data)}, the service runs as the user outreachd, who does not exist.`,
    {
      hint: `Create the user and the directory: sudo useradd --system outreachd && sudo install -d -m 700 -o outreachd ${resolve(data)}`,
    },
  );
}

/** The unit for an executable. */
export function unitFor(executable: string, { data, config }: Pick<InstallFlags, "data" | "config">): string {
  const words = [executable, "serve", ...(config === undefined ? [] : ["--config", resolve(config)])];
  const own = unit.replace(/^ExecStart=.*$/m, () => `ExecStart=${words.map(quoted).join(" ")}`);
  if (data === undefined || resolve(data) === usualData) return own;
  const path = resolve(data);
  // systemd creates state directories only below /var/lib. Any other one belongs to the user outreachd, who must exist.
  return own
    .replace(/^Environment=OUTREACHD_DATA=.*$/m, () => `Environment=${quoted(`OUTREACHD_DATA=${path}`)}`)
    .replace(/^DynamicUser=yes$/m, () => `User=outreachd\nReadWritePaths=${quoted(path)}`)
    .replace(/^StateDirectory(?:Mode)?=.*\n/gm, "");
}

async function installService(flags: InstallFlags, context: CommandContext): Promise<void> {
  const executable = process.execPath;
  if (basename(executable).startsWith("bun"))
    throw new CommandError(exitCodes.failed, "A service needs the executable, and this is the source.", {
      hint: "Run `bun run build`, copy dist/outreachd to /usr/local/bin, and run `sudo outreachd service install` there.",
    });
  requireVisible(executable, flags);
  const text = unitFor(executable, flags);
  if (flags.print === true) return await present(context, { unit: text }, text.trimEnd());
  requireServiceUser(flags.data, (name) => Bun.spawnSync(["id", "-u", name]).exitCode === 0);
  write(flags.unit, text);
  run(["systemctl", "daemon-reload"]);
  if (flags.start === true) run(["systemctl", "enable", "--now", "outreachd"]);
  const next = flags.start === true ? "Started." : "Start it with: systemctl enable --now outreachd";
  await present(
    context,
    { unit: flags.unit, executable, started: flags.start === true },
    `Wrote ${flags.unit}. ${next}\nThe API key of the first start is in its log: journalctl -u outreachd`,
  );
}

function write(path: string, text: string): void {
  try {
    if (existsSync(path) && !readFileSync(path, "utf8").startsWith(mark))
      throw new CommandError(exitCodes.failed, `${path} was not written by this command, so it is left as it is.`, {
        hint: "Remove it first, or change it by hand: `outreachd service install --print` shows the unit.",
      });
    writeFileSync(path, text);
    // It contains no secrets, and `systemctl cat` shows it to everyone.
    chmodSync(path, 0o644);
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(exitCodes.failed, `Could not write ${path}: ${reasonOf(cause)}`, {
      hint: "Run the command as root, or use --print.",
      cause,
    });
  }
}

function run(command: string[]): void {
  if (Bun.which(command[0] ?? "") === null)
    throw new CommandError(exitCodes.failed, "The unit was written, but systemctl is not installed on this machine.");
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode === 0) return;
  throw new CommandError(exitCodes.failed, `The unit was written, but \`${command.join(" ")}\` failed.`, {
    problems: [stderr.toString().trim()],
  });
}

/** As systemd reads an argument (systemd.service, "Command lines"). */
function quoted(text: string): string {
  const escaped = text.replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /[\s"'\\]/.test(escaped) ? `"${escaped.replaceAll(/["\\]/g, String.raw`\$&`)}"` : escaped;
}
