import { readFileSync } from "node:fs";
import { backupConfig, type BackupConfig } from "./backup-options.ts";
import { connectorConfig, type ConnectorConfig } from "./connector-options.ts";
import { describeOptions, type OptionReport } from "./describe.ts";
import type { eventOptions } from "./event-options.ts";
import type { enrichmentOptions } from "./enrichment-options.ts";
import type { prospectingOptions } from "./prospecting-options.ts";
import { serverOptions, type LogLevel } from "./options.ts";
import {
  resolveOptions,
  unknownFileKeys,
  unknownVariables,
  type Problem,
  type Resolution,
  type Sources,
  type ValuesOf,
} from "./sources.ts";
import type { ListenAddress } from "./values.ts";
import type { ConnectorName } from "../../features/network/account-model.ts";
import type { PhoneRegion } from "../../platform/identity/phone.ts";
import { voiceVendorConfig, type VoiceVendorConfig } from "./voice-vendor-options.ts";
import type { ConsentMode, OriginalsPolicy, VoiceEngineName } from "../../features/voice/model.ts";

/** Everything an operator can set, checked and frozen. Sizes are bytes. */
export type Config = Readonly<{
  dataDir: string;
  listen: Readonly<ListenAddress>;
  /** Without a slash at the end; null = not known. */
  publicUrl: string | null;
  /** Requests in each window; 0 = no limit. */
  rateLimit: Readonly<{ minute: number; hour: number; day: number }>;
  maxBodyBytes: number;
  maxImportBytes: number;
  idempotencyHours: number;
  /** "*" stands for every origin. */
  corsOrigins: readonly string[];
  trustedProxies: number;
  logLevel: LogLevel;
  logRequests: boolean;
  metrics: boolean;
  connector: ConnectorName;
  /** In lower case; empty = any. */
  networkHosts: readonly string[];
  /** Without it no connector runs that acts on the real network by itself. */
  acknowledgeNetworkRisk: boolean;
  connectors: ConnectorConfig;
  /** Nothing is real but the requests: see `openSimulation`. */
  simulate: boolean;
  /** When a new simulation begins; null = now. */
  simulatedStart: number | null;
  voiceVendors: VoiceVendorConfig;
  /** Null = that of this machine, which takes some 15 ms to find out and is needed for new users only. */
  timeZone: string | null;
  /** Null = numbers without a country code are not understood. */
  phoneRegion: PhoneRegion | null;
  defaultCredits: number;
  monthlyCredits: number;
  creditsPerEnrichment: number;
  creditsPerProspect: number;
  /** Null = the docs page. */
  upgradeUrl: string | null;
  adminEmail: string;
  /** 0 = for ever. */
  auditRetentionDays: number;
  drainSeconds: number;
  /** What new voices are trained with. */
  voiceEngine: VoiceEngineName;
  voiceMaxClones: number;
  /** Of all voice files of a user. */
  voiceMaxBytes: number;
  voiceConsent: ConsentMode;
  voiceOriginals: OriginalsPolicy;
  /** Of previews that are kept; 0 = none. */
  voiceCacheBytes: number;
  backup: BackupConfig;
}> &
  Readonly<ValuesOf<typeof enrichmentOptions>> &
  Readonly<ValuesOf<typeof prospectingOptions>> &
  Readonly<ValuesOf<typeof eventOptions>>;

export type ConfigInput = {
  /** As the command line parser leaves them; `config` is the path of the file. */
  flags: Readonly<Record<string, unknown>>;
  env: Readonly<Record<string, string | undefined>>;
  readFile?: (path: string) => string;
};

/** All that is wrong with the configuration; the message lists every problem on a line of its own. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ option: name, message }) => `${name}: ${message}`).join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/**
 * Puts the configuration together: flags before OUTREACHD_* variables before the TOML file (--config FILE or
 * OUTREACHD_CONFIG) before defaults. Throws one `ConfigError` with every problem, misspelled names included.
 */
export function loadConfig(input: ConfigInput): Config {
  const { connectors, rest: others } = connectorConfig(resolve(input).values);
  const { voiceVendors, rest: more } = voiceVendorConfig(others);
  const { backup, rest, problems } = backupConfig(more);
  if (problems.length > 0) throw new ConfigError(problems);
  const { data, listen, rateLimitMinute, rateLimitHour, rateLimitDay, corsOrigins, ...values } = rest;
  return Object.freeze({
    ...values,
    connectors,
    voiceVendors,
    backup,
    dataDir: data,
    listen: Object.freeze(listen),
    rateLimit: Object.freeze({ minute: rateLimitMinute, hour: rateLimitHour, day: rateLimitDay }),
    corsOrigins: Object.freeze(corsOrigins),
  });
}

/** Every option with its effective value and where that came from, in the order of the table. Throws as `loadConfig`. */
export function describeConfig(input: ConfigInput): OptionReport[] {
  return describeOptions(serverOptions, resolve(input));
}

// Read by the client commands or to find the file; no settings of the server.
const otherVariables = ["OUTREACHD_CONFIG", "OUTREACHD_URL", "OUTREACHD_API_KEY", "OUTREACHD_API_KEY_FILE"];

function resolve(input: ConfigInput): Resolution<typeof serverOptions> {
  const { flags, env, readFile = (path) => readFileSync(path, "utf8") } = input;
  const { file, problems: fileProblems } = readConfigFile(flags, env, readFile);
  const resolution = resolveOptions(serverOptions, { flags, env, file, readFile });
  const problems = [
    ...fileProblems,
    ...resolution.problems,
    ...unknownVariables(serverOptions, env, otherVariables),
    ...unknownFileKeys(serverOptions, file),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return resolution;
}

function readConfigFile(
  flags: ConfigInput["flags"],
  env: ConfigInput["env"],
  readFile: Sources["readFile"],
): { file: Sources["file"]; problems: Problem[] } {
  const flag = typeof flags["config"] === "string" ? flags["config"] : null;
  const path = flag ?? (env["OUTREACHD_CONFIG"] || null);
  if (path === null) return { file: null, problems: [] };
  try {
    return { file: { path, values: parseToml(readFile(path)) }, problems: [] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Could not read the configuration file ${path}: ${reason}`;
    return { file: null, problems: [{ option: flag === null ? "OUTREACHD_CONFIG" : "--config", message }] };
  }
}

function parseToml(source: string): Record<string, unknown> {
  return Bun.TOML.parse(source) as Record<string, unknown>; // A TOML document is always a table (TOML 1.0, "Table").
}
