import { followedEvents, type FollowedEvents } from "../../features/leads/model.ts";
import { isoTime } from "../../platform/base/clock.ts";
import { connectorNames, type ConnectorName } from "../../features/network/account-model.ts";
import type { PhoneRegion } from "../../platform/identity/phone.ts";
import { backupOptions } from "./backup-options.ts";
import { connectorOptions } from "./connector-options.ts";
import { databaseOptions } from "./database-options.ts";
import { enrichmentOptions } from "./enrichment-options.ts";
import { eventOptions } from "./event-options.ts";
import { filesOptions } from "./files-options.ts";
import { mailOptions } from "./mail-options.ts";
import { prospectingOptions } from "./prospecting-options.ts";
import { voiceOptions } from "./voice-options.ts";
import { signInOptions } from "./sign-in-options.ts";
import type { Option } from "./sources.ts";
import {
  baseUrl,
  emailAddress,
  hostName,
  instant,
  listenAddress,
  listOf,
  oneOf,
  origin,
  phoneRegion,
  publicServerUrl,
  showListenAddress,
  showSize,
  size,
  text,
  timeZone,
  trueOrFalse,
  wholeNumber,
  type ListenAddress,
} from "./values.ts";
import { voiceVendorOptions } from "./voice-vendor-options.ts";

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

// More than any team needs, and small enough that sums of it stay exact.
const maxCount = 1_000_000_000;

/**
 * All options of the server. Flags, variables, file keys, help, validation, and docs/configuration.md are derived from
 * this table.
 */
export const serverOptions = {
  data: option({
    argument: "DIR",
    parse: text,
    default: "./outreachd-data",
    description:
      "Directory for the database and all files; with database and files, only for temporary copies. Use a local disk; only one process can open it at a time.",
  }),
  ...databaseOptions,
  listen: option<ListenAddress>({
    argument: "HOST:PORT",
    parse: listenAddress,
    default: { host: "127.0.0.1", port: 8080 },
    show: showListenAddress,
    description: "Address to listen on. 0.0.0.0:8080 accepts connections from the network; port 0 picks a free port.",
  }),
  publicUrl: option<string | null>({
    argument: "URL",
    parse: publicServerUrl,
    default: null,
    description:
      "URL that clients use to reach the server; it appears in links. Set it if the server runs behind a reverse proxy. It can have a path, such as https://example.com/outreach.",
  }),
  rateLimitMinute: rateLimit("minute", 60),
  rateLimitHour: rateLimit("hour", 1000),
  rateLimitDay: rateLimit("day", 10_000),
  maxBodyBytes: option({
    argument: "SIZE",
    // A JSON body is held in memory as a whole, so this limits the memory of one request.
    parse: size(1024, 256 * 2 ** 20),
    default: 2 ** 20,
    show: showSize,
    description:
      "Maximum size of a JSON body, such as 512KiB or 10MB. Bodies are held in memory, so raise it with care.",
  }),
  maxImportBytes: option({
    argument: "SIZE",
    parse: size(1024, 2 ** 40),
    default: 2 * 2 ** 30,
    show: showSize,
    description: "Maximum size of a file to import. Files are streamed to disk.",
  }),
  idempotencyHours: option({
    argument: "HOURS",
    parse: wholeNumber(1, 720),
    default: 24,
    unit: "hours",
    description:
      "How long the response to a POST with an Idempotency-Key is stored, to be replayed when the request is repeated.",
  }),
  corsOrigins: option<readonly string[]>({
    argument: "ORIGINS",
    parse: listOf(origin),
    default: [],
    show: (origins) => origins.join(","),
    description: "Web origins whose pages may call the API from a browser, separated by commas. * allows all.",
  }),
  trustedProxies: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 20),
    default: 0,
    description:
      "Number of your reverse proxies whose X-Forwarded-For entries are trusted. 0 uses the address of the connection.",
  }),
  logLevel: option<LogLevel>({
    argument: "LEVEL",
    parse: oneOf(logLevels),
    default: "info",
    description: `Minimum level of log lines: ${logLevels.join(", ")}. Logs are JSON lines on standard error.`,
  }),
  logRequests: option({
    argument: "true|false",
    parse: trueOrFalse,
    default: true,
    show: String,
    description:
      "Log each request at level info; false logs requests at level debug. Probes are always logged at level debug.",
  }),
  metrics: option({
    argument: "true|false",
    parse: trueOrFalse,
    default: true,
    show: String,
    description:
      "Collect metrics and serve them in the Prometheus format at /metrics. Requires an admin's API key with metrics:read.",
  }),
  connector: option<ConnectorName>({
    argument: "NAME",
    parse: oneOf(connectorNames),
    default: "manual",
    description: `Connector of new network accounts: ${connectorNames.join(", ")}. manual lists each action for a person to carry out; simulated runs actions offline.`,
  }),
  ...connectorOptions,
  simulate: option({
    argument: "true|false",
    parse: trueOrFalse,
    default: false,
    show: String,
    canBeBare: true,
    description:
      "Run a simulation in a separate data directory: the network, providers, and voices are simulated, and time advances only when an admin calls POST /api/v2/simulation/clock.",
  }),
  simulatedStart: option<number | null>({
    argument: "TIME",
    parse: instant,
    default: null,
    show: (at) => (at === null ? "" : isoTime(at)),
    description: "Start time of a new simulation, such as 2026-01-05T09:00:00Z. Default: now.",
  }),
  networkHosts: option<readonly string[]>({
    argument: "HOSTS",
    parse: listOf(hostName),
    default: [],
    show: (hosts) => hosts.join(","),
    description:
      "Hosts that profile URLs may use, including subdomains, separated by commas; other profiles are rejected. Empty allows any host.",
  }),
  ...voiceVendorOptions,
  timeZone: option<string | null>({
    argument: "ZONE",
    parse: timeZone,
    default: null,
    description: "IANA time zone of new users, for their working hours. Default: the time zone of this machine.",
  }),
  leadStatus: option<FollowedEvents>({
    argument: followedEvents.join("|"),
    parse: oneOf(followedEvents),
    default: "nothing",
    description:
      "What the status of leads follows. contacts: a new lead becomes contacted once a request or message was sent, or the person connected or replied. replies: also, a lead who replies becomes qualified. A status that someone sets later stays.",
  }),
  phoneRegion: option<PhoneRegion | null>({
    argument: "COUNTRY",
    parse: phoneRegion,
    default: null,
    description:
      "Country (such as DE or US) of phone numbers without + and a country code. If it is not set, those numbers are not matched against the do-not-contact list.",
  }),
  defaultCredits: option({
    argument: "NUMBER",
    parse: wholeNumber(0, maxCount),
    default: 1000,
    unit: "credits",
    description: "Credits granted to a new user, for enrichment and prospect searches.",
  }),
  monthlyCredits: option({
    argument: "NUMBER",
    parse: wholeNumber(0, maxCount),
    default: 1000,
    unit: "credits",
    description: "Credits granted to each user at the start of each month. They do not expire. 0 grants none.",
  }),
  creditsPerEnrichment: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 1000),
    default: 1,
    unit: "credits",
    description: "Price of enriching a lead. An enrichment that finds nothing is free.",
  }),
  creditsPerProspect: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 1000),
    default: 1,
    unit: "credits",
    description: "Price of each prospect from a vendor that a search returns.",
  }),
  upgradeUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description:
      "Page that explains how to get more credits, linked in the error when credits run out. Default: the API reference.",
  }),
  ...enrichmentOptions,
  ...prospectingOptions,
  adminEmail: option({
    argument: "EMAIL",
    parse: emailAddress,
    default: "admin@localhost",
    description: "Email of the admin that the first start creates. Has no effect afterwards.",
  }),
  ...signInOptions,
  ...mailOptions,
  ...voiceOptions,
  auditRetentionDays: option({
    argument: "DAYS",
    parse: wholeNumber(0, 36_500),
    default: 3650,
    unit: "days",
    description:
      "How long audit log entries (who did what, when, and from where) are retained. 0 retains them forever.",
  }),
  ...eventOptions,
  ...filesOptions,
  ...backupOptions,
  drainSeconds: option({
    argument: "SECONDS",
    parse: wholeNumber(0, 3600),
    default: 10,
    unit: "seconds",
    description:
      "How long a shutdown waits for running requests and jobs. A node on PostgreSQL first fails /readyz for a third of it, at most 3 seconds, and answers on. Keep both below the grace period of your supervisor.",
  }),
};

function rateLimit(window: string, requests: number): Option<number> {
  return {
    argument: "NUMBER",
    parse: wholeNumber(0, maxCount),
    default: requests,
    unit: "requests",
    description: `Maximum requests per ${window}, for each user and each global key. 0 disables the limit.`,
  };
}

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
