import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "../../config.ts";
import { databaseName, readRunningServer } from "../../data-directory.ts";
import { ok, type Finding } from "./finding.ts";
import { examineBackups } from "./backups.ts";
import { examineDatabase } from "./database.ts";
import { examineDirectory } from "./directory.ts";
import { examineHosts } from "./hosts.ts";
import { examineSettings } from "./settings.ts";

export type DoctorOptions = { full: boolean; offline: boolean };

/** Every check, in the order in which a person would look. Changes nothing. */
export async function examineAll(config: Config, { full, offline }: DoctorOptions): Promise<Finding[]> {
  const dataDir = resolve(config.dataDir);
  const settings = examineSettings(config);
  if (!existsSync(join(dataDir, databaseName)))
    return [...settings, { check: "data", ...noData(dataDir) }, ...(await examineHosts(config, [], offline))];
  const now = Date.now();
  const server = readRunningServer(dataDir);
  const running = ok(
    "server",
    server === null ? "No server runs on the data." : `Process ${server.pid} serves at ${server.url}.`,
  );
  const { findings, webhooks } = examineDatabase(dataDir, { now, full, isServed: server !== null });
  return [
    ...settings,
    running,
    ...examineDirectory(dataDir, now),
    ...findings,
    ...(await examineBackups(config, dataDir, now, offline)),
    ...(await examineHosts(config, webhooks, offline)),
  ];
}

function noData(dataDir: string): Omit<Finding, "check"> {
  const hint = "Start the server with `outreachd serve`, or name the directory with --data DIR.";
  return { state: "problem", message: `There is no data of outreachd in ${dataDir}.`, hint };
}
