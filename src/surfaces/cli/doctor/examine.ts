import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "../../../app/config/config.ts";
import type { DatabaseConfig } from "../../../app/config/database-options.ts";
import { settingsPrint } from "../../../app/config/settings-print.ts";
import { databaseName, readRunningServer } from "../../../adapters/disk/data-directory.ts";
import { ok, warning, type Finding } from "./finding.ts";
import { examineBackups, examineServedBackups } from "./backups.ts";
import { examineDatabase } from "./database.ts";
import { examineDirectory } from "./directory.ts";
import { examineHosts } from "./hosts.ts";
import { examineSettings } from "./settings.ts";

export type DoctorOptions = { full: boolean; offline: boolean };

/** Runs every check, in the order in which a person would look. Changes nothing. */
export async function examineAll(config: Config, { full, offline }: DoctorOptions): Promise<Finding[]> {
  const dataDir = resolve(config.dataDir);
  const settings = examineSettings(config);
  if (config.database !== null) return [...settings, ...(await examineShared(config, config.database, offline))];
  if (!existsSync(join(dataDir, databaseName)))
    return [...settings, { check: "data", ...noData(dataDir) }, ...(await examineHosts(config, [], offline))];
  const now = Date.now();
  const server = readRunningServer(dataDir);
  const look = { now, full, offline, isServed: server !== null };
  const { findings, webhooks } = await examineDatabase(dataDir, config.files.place, look);
  const data = [...examineDirectory(dataDir, now), ...findings];
  const hosts = await examineHosts(config, webhooks, offline);
  if (server === null) {
    const backups = bySettings(await examineBackups(config, dataDir, now, offline));
    return [...settings, ok("server", "No server is running on the data."), ...data, ...backups, ...bySettings(hosts)];
  }
  const serves = ok("server", `Process ${server.pid} is serving at ${server.url}.`);
  const backups = await examineServedBackups(server, dataDir, now);
  if (server.settings === settingsPrint(config, server.localKey))
    return [...settings, serves, ...data, ...backups, ...hosts];
  const others = otherSettings(server.pid, dataDir);
  return [others, ...bySettings(settings), serves, ...data, ...backups, ...bySettings(hosts)];
}

/** The database is the data, so it is contacted even if no other host is. */
async function examineShared(config: Config, database: DatabaseConfig, offline: boolean): Promise<Finding[]> {
  // Loaded only if needed: it is a large part of the program.
  const { examineSharedDatabase } = await import("./shared-database.ts");
  const { examineBucket } = await import("./bucket.ts");
  const { examineSharedBackups } = await import("./shared-backups.ts");
  const { findings, webhooks, backups: known } = await examineSharedDatabase(database);
  const files = offline && config.files.place !== null ? [] : await examineBucket(config.files.place);
  const backups = known === null ? [] : await examineSharedBackups(known.runs, config.backup, known.now, offline);
  return [...findings, ...files, ...backups, ...(await examineHosts(config, webhooks, offline))];
}

/** A server may get settings that this command does not see, such as from systemd. */
function otherSettings(pid: number, dataDir: string): Finding {
  const hint =
    "Run it with the same flags, file, and variables. For the unit in docs/operations.md: " +
    `sudo systemd-run --pipe --wait --collect -p EnvironmentFile=-/etc/outreachd.env outreachd doctor --data ${dataDir}`;
  const message = `The settings of this command differ from those of process ${pid}, so the checks of configuration and hosts may not apply to the server.`;
  return warning("configuration", message, hint);
}

function bySettings(findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => ({
    ...finding,
    message: `According to the settings of this command: ${finding.message}`,
  }));
}

function noData(dataDir: string): Omit<Finding, "check"> {
  const hint = "Start the server with `outreachd serve`, or set the directory with --data DIR.";
  return { state: "problem", message: `No outreachd data found in ${dataDir}.`, hint };
}
