import { runCommandLine } from "./surfaces/cli/program.ts";
import { systemSignals } from "./surfaces/cli/context.ts";
import { systemTerminal } from "./surfaces/cli/terminal.ts";
import { privateUmask } from "./adapters/disk/private-files.ts";

// Before any file is created: the database, its logs, exports, and backups contain personal data.
process.umask(privateUmask);
const exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  terminal: systemTerminal,
  signals: systemSignals,
  backend: {
    // Loaded only by commands that need it, so that the others start fast.
    createApp: async (config, stop) => (await import("./surfaces/app.ts")).createApp(config, {}, stop),
    readRunningServer: async (dataDir) =>
      (await import("./adapters/disk/data-directory.ts")).readRunningServer(dataDir),
    hasTables: async (database) => (await import("./app/database.ts")).hasTables(database),
  },
});
// An unread standard input would keep the process alive. All output is flushed, because each write is awaited.
process.exit(exitCode);
