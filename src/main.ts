import { runCommandLine } from "./cli/program.ts";
import { systemSignals } from "./cli/context.ts";
import { systemTerminal } from "./cli/terminal.ts";

// Each write hears of its own failure; without a listener a reader that goes away would also be an uncaught exception.
process.stdout.on("error", () => {});

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
