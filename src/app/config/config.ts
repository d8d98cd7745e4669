import type { FollowedEvents } from "../../features/leads/model.ts";
import { readFileSync } from "node:fs";
import { backupConfig, type BackupConfig } from "./backup-options.ts";
import { connectorConfig, type ConnectorConfig } from "./connector-options.ts";
import { databaseConfig, type DatabaseConfig } from "./database-options.ts";
import { describeOptions, type OptionReport } from "./describe.ts";
import type { eventOptions } from "./event-options.ts";
import { filesConfig, type FilesConfig } from "./files-options.ts";
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
import { mailConfig, type MailConfig } from "./mail-options.ts";
import { openIdConfig, type OpenIdConfig } from "./sign-in-options.ts";
import { voiceVendorConfig, type VoiceVendorConfig } from "./voice-vendor-options.ts";
import type { ConsentMode, OriginalsPolicy, VoiceEngineName } from "../../features/voice/model.ts";
import { parseToml } from "../../platform/base/toml.ts";

/** Everything an operator can configure, validated and frozen. Sizes are in bytes. */
export type Config = Readonly<{
  dataDir: string;
  /** Null = the embedded database in the data directory. */
  database: DatabaseConfig | null;
  listen: Readonly<ListenAddress>;
  /** Without a trailing slash; null = unknown. */
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
  /** If false, no connector runs that acts on the real network automatically. */
  acknowledgeNetworkRisk: boolean;
  connectors: ConnectorConfig;
  /** Everything but the requests is simulated: see `openSimulation`. */
  simulate: boolean;
  /** Start time of a new simulation; null = now. */
  simulatedStart: number | null;
  voiceVendors: VoiceVendorConfig;
  /** Null = the time zone of this machine. Detecting it takes about 15 ms, and only new users need it. */
  timeZone: string | null;
  /** What the status of leads follows. */
  leadStatus: FollowedEvents;
  /** Null = numbers without a country code cannot be parsed. */
  phoneRegion: PhoneRegion | null;
  defaultCredits: number;
  monthlyCredits: number;
  creditsPerEnrichment: number;
  creditsPerProspect: number;
  /** Null = the docs page. */
  upgradeUrl: string | null;
  adminEmail: string;
  /** 0 = forever. */
  auditRetentionDays: number;
  drainSeconds: number;
  /** Engine for new voices. */
  voiceEngine: VoiceEngineName;
  voiceMaxClones: number;
  /** Limit for all voice files of a user. */
  voiceMaxBytes: number;
  voiceConsent: ConsentMode;
  voiceOriginals: OriginalsPolicy;
  /** Limit for cached speech; 0 = no cache. */
  voiceCacheBytes: number;
  /** Null = nobody signs in by OpenID Connect. */
  openId: OpenIdConfig | null;
  /** Null = the server sends no mail. */
  mail: MailConfig | null;
  files: FilesConfig;
  backup: BackupConfig;
}> &
  Readonly<ValuesOf<typeof enrichmentOptions>> &
  Readonly<ValuesOf<typeof prospectingOptions>> &
  Readonly<ValuesOf<typeof eventOptions>>;

export type ConfigInput = {
  /** Flags as parsed by the command line parser; `config` is the path of the file. */
  flags: Readonly<Record<string, unknown>>;
  env: Readonly<Record<string, string | undefined>>;
  readFile?: (path: string) => string;
};

/** Every problem of the configuration; the message has one line for each. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ option: name, message }) => `${name}: ${message}`).join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/**
 * Loads the configuration. Flags take precedence over OUTREACHD_* variables, which take precedence over the TOML file
 * (--config FILE or OUTREACHD_CONFIG), then defaults. Throws one `ConfigError` with all problems, including misspelled
 * names.
 */
export function loadConfig(input: ConfigInput): Config {
  const { connectors, rest: others } = connectorConfig(resolve(input).values);
  const { voiceVendors, rest: more } = voiceVendorConfig(others);
  const { database, rest: embedded, problems: databaseProblems } = databaseConfig(more);
  const { files, s3, rest: further, problems: filesProblems } = filesConfig(embedded);
  const { backup, rest: last, problems: backupProblems } = backupConfig(further, s3);
  const { openId, rest: unmailed, problems: signInProblems } = openIdConfig(last);
  const { mail, rest, problems: mailProblems } = mailConfig(unmailed);
  const problems = [...databaseProblems, ...filesProblems, ...backupProblems, ...signInProblems, ...mailProblems];
  if (problems.length > 0) throw new ConfigError(problems);
  const { data, listen, rateLimitMinute, rateLimitHour, rateLimitDay, corsOrigins, ...values } = rest;
  return Object.freeze({
    ...values,
    connectors,
    voiceVendors,
    database,
    files,
    backup,
    openId,
    mail,
    dataDir: data,
    listen: Object.freeze(listen),
    rateLimit: Object.freeze({ minute: rateLimitMinute, hour: rateLimitHour, day: rateLimitDay }),
    corsOrigins: Object.freeze(corsOrigins),
  });
}

/**
 * Returns every option with its effective value and its origin, in the order of the table. Throws like `loadConfig`.
 */
export function describeConfig(input: ConfigInput): OptionReport[] {
  return describeOptions(serverOptions, resolve(input));
}

// Read by client commands or to find the file; they are not server settings.
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
    const text = readFile(path);
    return { file: { path, text, values: parseToml(text) }, problems: [] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Could not read the configuration file ${path}: ${reason}`;
    return { file: null, problems: [{ option: flag === null ? "OUTREACHD_CONFIG" : "--config", message }] };
  }
}
