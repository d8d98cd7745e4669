import { isoTime } from "../../platform/base/clock.ts";
import { connectorNames, type ConnectorName } from "../../features/network/account-model.ts";
import type { PhoneRegion } from "../../platform/identity/phone.ts";
import { backupOptions } from "./backup-options.ts";
import { connectorOptions } from "./connector-options.ts";
import { enrichmentOptions } from "./enrichment-options.ts";
import { eventOptions } from "./event-options.ts";
import { prospectingOptions } from "./prospecting-options.ts";
import { voiceOptions } from "./voice-options.ts";
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

/** The single list of options: flags, variables, file keys, help texts and checks all come from here. */
export const serverOptions = {
  data: option({
    argument: "DIR",
    parse: text,
    default: "./outreachd-data",
    description: "Directory of the database and the files. Put it on a local disk.",
  }),
  listen: option<ListenAddress>({
    argument: "HOST:PORT",
    parse: listenAddress,
    default: { host: "127.0.0.1", port: 8080 },
    show: showListenAddress,
    description: "Address of the API. 0.0.0.0:8080 opens it to the network; port 0 takes any free port.",
  }),
  publicUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description: "URL under which clients reach the server, for links in answers. Set it behind a reverse proxy.",
  }),
  rateLimitMinute: rateLimit("a minute", 60),
  rateLimitHour: rateLimit("an hour", 1000),
  rateLimitDay: rateLimit("a day", 10_000),
  maxBodyBytes: option({
    argument: "SIZE",
    // A JSON body is held in memory as a whole, so this bounds what one request can take.
    parse: size(1024, 256 * 2 ** 20),
    default: 2 ** 20,
    show: showSize,
    description: "Largest JSON body: bytes, or 512KiB, 10MB and so on. It is held in memory, so raise it with care.",
  }),
  maxImportBytes: option({
    argument: "SIZE",
    parse: size(1024, 2 ** 40),
    default: 2 * 2 ** 30,
    show: showSize,
    description: "Largest file of leads to import, written the same way. It is streamed to disk.",
  }),
  idempotencyHours: option({
    argument: "HOURS",
    parse: wholeNumber(1, 720),
    default: 24,
    unit: "hours",
    description:
      "How long the answer to a POST with an Idempotency-Key is kept, to be told again to whoever repeats it.",
  }),
  corsOrigins: option<readonly string[]>({
    argument: "ORIGINS",
    parse: listOf(origin),
    default: [],
    show: (origins) => origins.join(","),
    description: "Web origins whose pages may call the API from a browser, with commas between them; * = all.",
  }),
  trustedProxies: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 20),
    default: 0,
    description:
      "Reverse proxies in front whose X-Forwarded-For entries are believed. 0 = take the caller's own address.",
  }),
  logLevel: option<LogLevel>({
    argument: "LEVEL",
    parse: oneOf(logLevels),
    default: "info",
    description: `Least serious log lines to write: ${logLevels.join(", ")}.`,
  }),
  logRequests: option({
    argument: "true|false",
    parse: trueOrFalse,
    default: true,
    show: String,
    description: "Write a line for each request, at level info; without it at debug. Probes always at debug.",
  }),
  metrics: option({
    argument: "true|false",
    parse: trueOrFalse,
    default: true,
    show: String,
    description: "Measure, and serve the numbers to Prometheus at /metrics, for API keys of admins with metrics:read.",
  }),
  connector: option<ConnectorName>({
    argument: "NAME",
    parse: oneOf(connectorNames),
    default: "manual",
    description:
      "How new network accounts act: manual lists each action for a person to do, simulated plays them out offline.",
  }),
  ...connectorOptions,
  simulate: option({
    argument: "true|false",
    parse: trueOrFalse,
    default: false,
    show: String,
    canBeBare: true,
    description:
      "Play, in a data directory of its own: network, providers and voices are simulated, and time stands still until an admin moves it with POST /api/v2/simulation/clock.",
  }),
  simulatedStart: option<number | null>({
    argument: "TIME",
    parse: instant,
    default: null,
    show: (at) => (at === null ? "" : isoTime(at)),
    description: "The moment at which a new simulation begins, such as 2026-01-05T09:00:00Z. Default: now.",
  }),
  networkHosts: option<readonly string[]>({
    argument: "HOSTS",
    parse: listOf(hostName),
    default: [],
    show: (hosts) => hosts.join(","),
    description:
      "Hosts that profiles may be on, subdomains included, with commas between them; profiles elsewhere are refused. Empty = any.",
  }),
  ...voiceVendorOptions,
  timeZone: option<string | null>({
    argument: "ZONE",
    parse: timeZone,
    default: null,
    description: "IANA time zone of new users, for their working hours. Default: the zone of this machine.",
  }),
  phoneRegion: option<PhoneRegion | null>({
    argument: "COUNTRY",
    parse: phoneRegion,
    default: null,
    description:
      "Country (DE, US) of phone numbers that are written without + and country code; without it, those are not found on the do-not-contact list.",
  }),
  defaultCredits: option({
    argument: "NUMBER",
    parse: wholeNumber(0, maxCount),
    default: 1000,
    unit: "credits",
    description: "Credits granted to a new user for enrichment and prospect searches.",
  }),
  monthlyCredits: option({
    argument: "NUMBER",
    parse: wholeNumber(0, maxCount),
    default: 1000,
    unit: "credits",
    description: "Credits granted to every user at the start of each month. They do not expire. 0 = none.",
  }),
  creditsPerEnrichment: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 1000),
    default: 1,
    unit: "credits",
    description: "What an enriched lead costs, if the enrichment brought something; a miss costs nothing.",
  }),
  creditsPerProspect: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 1000),
    default: 1,
    unit: "credits",
    description: "What a prospect that a search returns costs.",
  }),
  upgradeUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description: "Where users read how to get more credits; in answers to those who ran out. Default: the docs page.",
  }),
  ...enrichmentOptions,
  ...prospectingOptions,
  adminEmail: option({
    argument: "EMAIL",
    parse: emailAddress,
    default: "admin@localhost",
    description: "E-mail of the admin that the first start makes. Has no effect afterwards.",
  }),
  ...voiceOptions,
  auditRetentionDays: option({
    argument: "DAYS",
    parse: wholeNumber(0, 36_500),
    default: 3650,
    unit: "days",
    description: "How long the audit log reaches back: who did what, when and from where. 0 = for ever.",
  }),
  ...eventOptions,
  ...backupOptions,
  drainSeconds: option({
    argument: "SECONDS",
    parse: wholeNumber(0, 3600),
    default: 10,
    unit: "seconds",
    description:
      "How long a stop waits for running requests and jobs. Keep it below the grace time of your supervisor.",
  }),
};

function rateLimit(window: string, requests: number): Option<number> {
  return {
    argument: "NUMBER",
    parse: wholeNumber(0, maxCount),
    default: requests,
    unit: "requests",
    description: `Requests that a user, or a global key, may make in ${window}. 0 = no limit.`,
  };
}

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
