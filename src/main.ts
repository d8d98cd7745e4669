import { runCommandLine } from "./cli/program.ts";
import { systemSignals } from "./cli/context.ts";
import { systemTerminal } from "./cli/terminal.ts";
import { privateUmask } from "./private-files.ts";

// Before anything is created: database, logs of the database, exports and backups hold personal data.
process.umask(privateUmask);
const exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  terminal: systemTerminal,
  signals: systemSignals,
  backend: {
    // Loaded only when a command needs it, so that the others are quick.
    createApp: async (config) => (await import("./app.ts")).createApp(config),
    readRunningServer: async (dataDir) => (await import("./data-directory.ts")).readRunningServer(dataDir),
  },
});
// An unread standard input would keep the process alive; what was written is flushed already, for each write is awaited.
process.exit(exitCode);
