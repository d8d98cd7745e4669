import { shownDatabase } from "../../app/config/database-options.ts";
import { resolve } from "node:path";
import type { Command } from "commander";
import { loadConfig, type Config } from "../../app/config/config.ts";
import { commit, schemaInUse, version } from "../../platform/base/version.ts";
import type { LocalApp } from "./connection.ts";
import { present, remark, type CommandContext, type Signals } from "./context.ts";
import { firstRunNotice, laterSignInNotice, signInNotice } from "./first-run.ts";
import { addServerFlags, namedServerOptions } from "./flags.ts";

const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;

/**
 * A single Ctrl-C may arrive several times: the terminal sends it to every process in its group, and npx and `bun run`,
 * which are in that group, forward theirs within milliseconds. No one presses it twice on purpose this quickly.
 */
const sameSignalMs = 1_000;

/** `args`: the command line, if it is known to be for this command. */
export function addServeCommand(program: Command, context: CommandContext, args?: readonly string[]): void {
  const command = program
    .command("serve")
    .description("Run the server until SIGTERM or Ctrl-C. Log lines go to standard error.");
  addServerFlags(command, args && namedServerOptions(args)).action((flags: Record<string, unknown>) =>
    serve(flags, context),
  );
}

/** Resolves when the server has stopped. The first signal lets running work finish, a later one ends it immediately. */
async function serve(flags: Record<string, unknown>, context: CommandContext): Promise<void> {
  const config = loadConfig({ flags, env: context.env });
  const stop = untilSignal(context.signals, () => {
    // Only for people: in a log file, every line is JSON.
    if (context.terminal.isInteractive)
      remark(context, `Stopping within ${config.drainSeconds} seconds. Press Ctrl-C again to stop immediately.`);
  });
  try {
    const app = await context.backend.createApp(config, stop.signal);
    try {
      await app.start();
      await present(context, summary(app, config), banner(app, config));
    } catch (error) {
      // The admin is already stored, and the key cannot be shown again.
      if (app.firstRun !== null)
        remark(context, `${firstRunNotice(app.firstRun)}\n${laterSignInNotice(app.firstRun.email)}`);
      await app.stop();
      throw error;
    }
    await stop.signalled;
    await app.stop();
  } catch (error) {
    // Stopped before it had started.
    if (error !== stop.signal.reason) throw error;
  } finally {
    stop.release();
  }
}

/** `signalled` resolves and `signal` is aborted with the first signal. */
function untilSignal(signals: Signals, onFirst: () => void) {
  const { promise, resolve: signalled } = Promise.withResolvers<void>();
  const controller = new AbortController();
  let firstAt: number | null = null;
  const stop = () => {
    firstAt = signals.now();
    onFirst();
    signalled();
    controller.abort();
  };
  const releases = [
    signals.listen((signal) => {
      if (firstAt === null) stop();
      else if (signals.now() - firstAt >= sameSignalMs) signals.exit(128 + signalNumbers[signal]);
    }),
    // Never the second signal: npx ends at the first Ctrl-C, while running work finishes.
    signals.listenForHangUp(() => {
      if (firstAt === null) stop();
    }),
  ];
  const release = () => releases.forEach((each) => each());
  return { signalled: promise, signal: controller.signal, release };
}

function summary(app: LocalApp, config: Config) {
  const url = config.publicUrl ?? app.url;
  return {
    version,
    commit,
    schema: schemaInUse(config),
    url: app.url,
    dashboard: `${url}/`,
    /** Only on the first start. */
    signInUrl: app.firstRun === null ? null : `${url}${app.firstRun.signInPath}`,
    api: `${url}/api/v2`,
    docs: `${url}/docs/guides`,
    dataDir: resolve(config.dataDir),
    simulation: config.simulate,
    firstRun: app.firstRun && { email: app.firstRun.email, key: app.firstRun.key },
  };
}

function banner(app: LocalApp, config: Config): string {
  const { dashboard, api, docs, dataDir, signInUrl } = summary(app, config);
  const lines = [
    `outreachd ${version} (${commit === null ? "" : `commit ${commit}, `}schema ${schemaInUse(config)})`,
    `  Dashboard  ${dashboard}`,
    `  API        ${api}`,
    `  Docs       ${docs}`,
    ...placesOf(config, dataDir),
    ...(config.simulate ? ["  Mode       simulation: nothing is real, and time stands still"] : []),
    "",
  ];
  if (app.firstRun !== null && signInUrl !== null) lines.push(firstRunNotice(app.firstRun), signInNotice(signInUrl));
  return lines.join("\n");
}

/** Where the data is, in the order in which someone would search. */
function placesOf({ database, files: { place } }: Config, dataDir: string): string[] {
  return [
    `  Data       ${database === null ? dataDir : shownDatabase(database.url)}`,
    ...(place?.kind === "s3" ? [`  Files      s3://${place.bucket}/${place.prefix}`] : []),
    ...(database === null ? [] : [`  Scratch    ${dataDir}`]),
  ];
}
