import type { Option } from "./sources.ts";
import { baseUrl, listOf, namedListOf, text, wholeNumber } from "./values.ts";

type ByName<T> = Readonly<Record<string, T>>;
const showByName = (values: ByName<string | number>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");

/** Everything about enrichment; part of the one list of options. */
export const enrichmentOptions = {
  enrichmentsPerHour: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 1_000_000_000),
    default: 100,
    unit: "requests",
    description:
      "Direct enrichment requests, of up to 1000 leads each, that a user can make in an hour; jobs do not count. 0 = no limit.",
  }),
  enrichmentProviders: option<readonly string[]>({
    argument: "NAMES",
    parse: listOf(text),
    default: ["local"],
    show: (names) => names.join(","),
    description:
      "Who is asked about a lead, in this order, with commas between them: local, web, gravatar, github, pdl, hunter, apollo, fullenrich, reacher, or vendors of your own. Nobody else is ever asked.",
  }),
  pdlKey: key("People Data Labs"),
  hunterKey: key("Hunter"),
  apolloKey: key("Apollo"),
  fullenrichKey: key("FullEnrich"),
  githubKey: key("GitHub (a token; works without one, with a lower limit)"),
  gravatarKey: key("Gravatar (works without one, with a lower limit)"),
  reacherKey: key("your Reacher, if it asks for one"),
  enrichmentUrls: option<ByName<string>>({
    argument: "NAME=URL,…",
    parse: namedListOf(baseUrl),
    default: {},
    show: showByName,
    description: "Base URLs of enrichment providers in the place of the vendors' own; reacher always needs one.",
  }),
  enrichmentTimeouts: option<ByName<number>>({
    argument: "NAME=SECONDS,…",
    parse: namedListOf(wholeNumber(1, 600)),
    default: {},
    show: showByName,
    unit: "seconds",
    description: "How long a provider may take for one lead. Default: 15, and for fullenrich 120.",
  }),
  enrichmentSpendCaps: option<ByName<number>>({
    argument: "NAME=NUMBER,…",
    parse: namedListOf(wholeNumber(0, 1_000_000_000)),
    default: {},
    show: showByName,
    unit: "credits of the provider",
    description:
      "What a provider may take of your account there in a calendar month (UTC), in its own credits as it counts them: Hunter takes 1 for an address and 0.5 for a verification. It is asked until what is left can't pay for the next question. Without one, no limit.",
  }),
  enrichmentVendors: option<string | null>({
    argument: "FILE",
    parse: text,
    default: null,
    description: "TOML file that describes enrichment vendors of your own, for providers with their names.",
  }),
  allowPrivateHosts: option<readonly string[]>({
    argument: "HOSTS",
    parse: listOf(text),
    default: [],
    show: (hosts) => hosts.join(","),
    description:
      "Hosts, addresses and networks (10.0.0.0/8) of vendors in your own network, which may have private addresses.",
  }),
};

function key(vendor: string): Option<string | null> {
  return { argument: "KEY", parse: text, default: null, secret: true, description: `API key for ${vendor}.` };
}

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
