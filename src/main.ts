import { runCommandLine } from "./surfaces/cli/program.ts";
import { systemSignals } from "./surfaces/cli/context.ts";
import { systemTerminal } from "./surfaces/cli/terminal.ts";
import { privateUmask } from "./adapters/disk/private-files.ts";

// Before anything is created: database, logs of the database, exports and backups hold personal data.
process.umask(privateUmask);
const exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  terminal: systemTerminal,
  signals: systemSignals,
  backend: {
    // Loaded only when a command needs it, so that the others are quick.
    createApp: async (config) => (await import("./surfaces/app.ts")).createApp(config),
    readRunningServer: async (dataDir) =>
      (await import("./adapters/disk/data-directory.ts")).readRunningServer(dataDir),
  },
});
// An unread standard input would keep the process alive; what was written is flushed already, for each write is awaited.
process.exit(exitCode);
