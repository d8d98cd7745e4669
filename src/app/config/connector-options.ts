import { defaultSimulationRates, type Simulation, type SimulationRates } from "../../features/network/simulation.ts";
import type { Option } from "./sources.ts";
import { baseUrl, hostOrNetwork, listOf, trueOrFalse, wholeNumber, type Parse } from "./values.ts";

type NamedSecrets = Readonly<Record<string, string>>;

/** Options of the connectors, which carry out actions on the network. */
export const connectorOptions = {
  acknowledgeNetworkRisk: option({
    argument: "true|false",
    parse: trueOrFalse,
    default: false,
    show: String,
    description:
      "Set to true to accept the risk of automation: the terms of most networks forbid it, and accounts have been closed for it. Until then, only the connectors manual and simulated run.",
  }),
  networkWebhookSecret: option<string | null>({
    argument: "SECRET",
    parse: signingSecret,
    default: null,
    secret: true,
    description:
      "Key that the webhook connector signs actions with, in the Standard Webhooks format: whsec_ followed by 24 to 64 random bytes in base64.",
  }),
  networkPrivateHosts: option<readonly string[]>({
    argument: "HOSTS",
    parse: listOf(hostOrNetwork),
    default: [],
    show: (hosts) => hosts.join(","),
    description:
      "Private hosts, addresses, or networks (such as 10.0.0.0/8) that the webhook connector may call, separated by commas. Plain HTTP is allowed for them.",
  }),
  unipileUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description: "URL (DSN) of your Unipile subscription, such as https://api1.unipile.com:13111.",
  }),
  unipileApiKey: option<string | null>({
    argument: "KEY",
    parse: secretText,
    default: null,
    secret: true,
    description: "Access token of your Unipile subscription.",
  }),
  linkedapiUrl: option({
    argument: "URL",
    parse: baseUrl,
    default: "https://api.linkedapi.io",
    description: "URL of Linked API. Change it only if you use a proxy.",
  }),
  linkedapiToken: option<string | null>({
    argument: "TOKEN",
    parse: secretText,
    default: null,
    secret: true,
    description: "The linked-api-token of your Linked API subscription.",
  }),
  linkedapiIdentifications: option<NamedSecrets | null>({
    argument: "NAME=TOKEN",
    parse: namedSecrets,
    default: null,
    show: (tokens) => Object.keys(tokens ?? {}).join(","),
    secret: true,
    description:
      "The identification-token of each Linked API account under a name that you choose, separated by commas: ada=TOKEN,bob=TOKEN. An account refers to its name in connectorSettings.identification.",
  }),
  simulatedSeed: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 2 ** 32 - 1),
    default: 1,
    description: "Seed of the simulated network. With the same seed, people behave the same in every run.",
  }),
  simulatedRates: option<Readonly<SimulationRates>>({
    argument: "NAME=NUMBER",
    parse: simulationRates,
    default: defaultSimulationRates,
    show: (rates) =>
      Object.entries(rates)
        .map(([name, rate]) => `${name}=${rate}`)
        .join(","),
    description:
      "Behavior of the simulated network: acceptances, replies, refusals, busy, and unknown in percent, limitAfter in actions per type and day. Omitted rates are 0.",
  }),
};

type ConnectorValues = Omit<
  { [K in keyof typeof connectorOptions]: (typeof connectorOptions)[K] extends Option<infer V> ? V : never },
  "acknowledgeNetworkRisk"
>;

/** Settings for `createConnectors`. */
export type ConnectorConfig = Readonly<{
  webhookSecret: string | null;
  privateHosts: readonly string[];
  unipileUrl: string | null;
  unipileApiKey: string | null;
  linkedapiUrl: string;
  linkedapiToken: string | null;
  linkedapiIdentifications: NamedSecrets | null;
  simulation: Readonly<Simulation>;
}>;

/** Splits the values of the connectors off from all values. */
export function connectorConfig<T extends ConnectorValues>(values: T) {
  const { networkWebhookSecret, networkPrivateHosts, simulatedSeed, simulatedRates, ...others } = values;
  const { unipileUrl, unipileApiKey, linkedapiUrl, linkedapiToken, linkedapiIdentifications, ...rest } = others;
  const connectors: ConnectorConfig = Object.freeze({
    webhookSecret: networkWebhookSecret,
    privateHosts: Object.freeze(networkPrivateHosts),
    unipileUrl,
    unipileApiKey,
    linkedapiUrl,
    linkedapiToken,
    linkedapiIdentifications,
    simulation: Object.freeze({ seed: simulatedSeed, rates: Object.freeze(simulatedRates) }),
  });
  return { connectors, rest };
}

/** Error messages of secret parsers never repeat the value. */
function secretText(value: string): string {
  if (!/^[\x21-\x7e]{8,2000}$/.test(value))
    throw new RangeError("Expected a secret of 8 to 2000 characters, without spaces.");
  return value;
}

function signingSecret(value: string): string {
  const [, base64 = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? [];
  const bytes = Buffer.from(base64, "base64").byteLength;
  if (bytes < 24 || bytes > 64)
    throw new RangeError(
      'Expected whsec_ followed by 24 to 64 bytes in base64. To create one, run `echo "whsec_$(openssl rand -base64 32)"`.',
    );
  return value;
}

function namedSecrets(value: string): NamedSecrets {
  const entries = value
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => /^([A-Za-z0-9._-]{1,60})=([\x21-\x2b\x2d-\x7e]{8,2000})$/.exec(entry));
  if (entries.length === 0 || entries.includes(null))
    throw new RangeError("Expected name=token pairs separated by commas; names consist of letters, digits, and ._-");
  const tokens = entries.flatMap((entry): [string, string][] => (entry ? [[entry[1] ?? "", entry[2] ?? ""]] : []));
  if (new Set(tokens.map(([name]) => name)).size < tokens.length) throw new RangeError("Expected each name only once.");
  return Object.freeze(Object.fromEntries(tokens));
}

const rateNames = Object.keys(defaultSimulationRates) as (keyof SimulationRates)[];

function simulationRates(value: string): SimulationRates {
  const rates: SimulationRates = { acceptances: 0, replies: 0, refusals: 0, busy: 0, unknown: 0, limitAfter: 0 };
  for (const entry of value.split(",").filter((each) => each.trim() !== "")) {
    const [name, number = ""] = entry.split("=").map((part) => part.trim());
    const known = rateNames.find((rate) => rate === name);
    const max = known === "limitAfter" ? 1_000_000 : 100;
    const isFine = known !== undefined && /^\d+(\.\d+)?$/.test(number) && Number(number) <= max;
    if (!isFine)
      throw new RangeError(
        `Expected ${rateNames.join(", ")} with a percentage from 0 to 100 (limitAfter: a number), such as replies=15, got "${entry.slice(0, 80)}".`,
      );
    rates[known] = Number(number);
  }
  if (rates.refusals + rates.busy + rates.unknown > 100)
    throw new RangeError("Expected refusals, busy, and unknown to add up to at most 100 percent.");
  return rates;
}

/** Gives an option the type of its values. */
function option<T>(definition: { parse: Parse<T> } & Option<T>): Option<T> {
  return definition;
}
