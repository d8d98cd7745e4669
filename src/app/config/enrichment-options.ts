import type { Option } from "./sources.ts";
import { baseUrl, listOf, namedListOf, text, wholeNumber } from "./values.ts";

type ByName<T> = Readonly<Record<string, T>>;
const showByName = (values: ByName<string | number>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");

/** Options of enrichment; part of `serverOptions`. */
export const enrichmentOptions = {
  enrichmentsPerHour: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 1_000_000_000),
    default: 100,
    unit: "requests",
    description:
      "Maximum direct enrichment requests (of up to 1000 leads each) per user and hour. Jobs do not count. 0 disables the limit.",
  }),
  enrichmentProviders: option<readonly string[]>({
    argument: "NAMES",
    parse: listOf(text),
    default: ["local"],
    show: (names) => names.join(","),
    description:
      "Enrichment providers to query, in this order, separated by commas: local, web, gravatar, github, pdl, hunter, apollo, fullenrich, reacher, or your own vendors. No other provider is contacted.",
  }),
  pdlKey: key("People Data Labs"),
  hunterKey: key("Hunter"),
  apolloKey: key("Apollo"),
  fullenrichKey: key("FullEnrich"),
  githubKey: key("GitHub (a token; optional, raises the rate limit)"),
  gravatarKey: key("Gravatar (optional, raises the rate limit)"),
  reacherKey: key("your Reacher server, if it requires one"),
  enrichmentUrls: option<ByName<string>>({
    argument: "NAME=URL,…",
    parse: namedListOf(baseUrl),
    default: {},
    show: showByName,
    description: "Base URLs of enrichment providers that replace the vendors' defaults. reacher always requires one.",
  }),
  enrichmentTimeouts: option<ByName<number>>({
    argument: "NAME=SECONDS,…",
    parse: namedListOf(wholeNumber(1, 600)),
    default: {},
    show: showByName,
    unit: "seconds",
    description: "Timeout per provider for one lead. Default: 15; fullenrich: 120.",
  }),
  enrichmentSpendCaps: option<ByName<number>>({
    argument: "NAME=NUMBER,…",
    parse: namedListOf(wholeNumber(0, 1_000_000_000)),
    default: {},
    show: showByName,
    unit: "credits of the provider",
    description:
      "Monthly spending limit per provider (calendar month in UTC), in the provider's own credits: Hunter charges 1 for an address and 0.5 for a verification. A provider is skipped once the remainder does not cover the next request. Default: no limit.",
  }),
  enrichmentVendors: option<string | null>({
    argument: "FILE",
    parse: text,
    default: null,
    description: "TOML file that defines your own enrichment vendors, to be used as providers under their names.",
  }),
  allowPrivateHosts: option<readonly string[]>({
    argument: "HOSTS",
    parse: listOf(text),
    default: [],
    show: (hosts) => hosts.join(","),
    description:
      "Private hosts, addresses, or networks (such as 10.0.0.0/8) that enrichment providers may call, separated by commas.",
  }),
};

function key(vendor: string): Option<string | null> {
  return { argument: "KEY", parse: text, default: null, secret: true, description: `API key for ${vendor}.` };
}

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
