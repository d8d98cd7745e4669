import type { DataDirectory } from "../adapters/disk/data-directory.ts";
import type { Config } from "./config/config.ts";
import { shownDatabase } from "./config/database-options.ts";
import { settingsPrint } from "./config/settings-print.ts";

/** Lets other commands on this machine find the running server, and tell whether it uses what they are meant to use. */
export function announce(
  directory: DataDirectory,
  config: Config,
  { url, localKey }: { url: string; localKey: string },
): void {
  directory.announce({
    ...{ pid: process.pid, url, localKey, settings: settingsPrint(config, localKey) },
    database: config.database && shownDatabase(config.database.url),
  });
}
