import { defaultSimulationRates, type Simulation, type SimulationRates } from "../../features/network/simulation.ts";
import type { Option } from "./sources.ts";
import { baseUrl, hostOrNetwork, listOf, trueOrFalse, wholeNumber, type Parse } from "./values.ts";

type NamedSecrets = Readonly<Record<string, string>>;

/** What the ways of carrying actions out on the network need to know. */
export const connectorOptions = {
  acknowledgeNetworkRisk: option({
    argument: "true|false",
    parse: trueOrFalse,
    default: false,
    show: String,
    description:
      "Set to true once you accept the risk: the terms of most networks forbid automation, and accounts have been closed for it. Until then only the connectors manual and simulated run.",
  }),
  networkWebhookSecret: option<string | null>({
    argument: "SECRET",
    parse: signingSecret,
    default: null,
    secret: true,
    description:
      "Key that the webhook connector signs actions with, as Standard Webhooks has it: whsec_ and the base64 of 24 to 64 random bytes.",
  }),
  networkPrivateHosts: option<readonly string[]>({
    argument: "HOSTS",
    parse: listOf(hostOrNetwork),
    default: [],
    show: (hosts) => hosts.join(","),
    description:
      "Hosts, addresses or networks (10.0.0.0/8) of your own that the webhook connector may call although they are not public, with commas between them. They may be called by plain http.",
  }),
  unipileUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description: "Address (DSN) of your subscription to Unipile, such as https://api1.unipile.com:13111.",
  }),
  unipileApiKey: option<string | null>({
    argument: "KEY",
    parse: secretText,
    default: null,
    secret: true,
    description: "Access token of that subscription.",
  }),
  linkedapiUrl: option({
    argument: "URL",
    parse: baseUrl,
    default: "https://api.linkedapi.io",
    description: "Address of Linked API; change it only for a proxy of your own.",
  }),
  linkedapiToken: option<string | null>({
    argument: "TOKEN",
    parse: secretText,
    default: null,
    secret: true,
    description: "The linked-api-token of your subscription to Linked API.",
  }),
  linkedapiIdentifications: option<NamedSecrets | null>({
    argument: "NAME=TOKEN",
    parse: namedSecrets,
    default: null,
    show: (tokens) => Object.keys(tokens ?? {}).join(","),
    secret: true,
    description:
      "The identification-token of each account at Linked API by a name of yours, with commas between them: ada=TOKEN,bob=TOKEN. Accounts name theirs in connectorSettings.identification.",
  }),
  simulatedSeed: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 2 ** 32 - 1),
    default: 1,
    description: "The same seed makes the people of the simulated network do the same in every run.",
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
      "How the simulated network behaves: acceptances, replies, refusals, busy and unknown in percent, limitAfter as actions of a kind in a day. What is not named is 0.",
  }),
};

type ConnectorValues = Omit<
  { [K in keyof typeof connectorOptions]: (typeof connectorOptions)[K] extends Option<infer V> ? V : never },
  "acknowledgeNetworkRisk"
>;

/** What the connectors are made from; see `createConnectors`. */
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

/** Takes the values of the connectors out of all values. */
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

/** The parsers of secrets never repeat what came. */
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
      'Expected whsec_ and the base64 of 24 to 64 bytes, as `echo "whsec_$(openssl rand -base64 32)"` makes it.',
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
    throw new RangeError("Expected name=token pairs with commas between them; names have letters, digits and ._-");
  const tokens = entries.flatMap((entry): [string, string][] => (entry ? [[entry[1] ?? "", entry[2] ?? ""]] : []));
  if (new Set(tokens.map(([name]) => name)).size < tokens.length) throw new RangeError("Expected each name once.");
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
    throw new RangeError("Expected refusals, busy and unknown to make 100 percent at most.");
  return rates;
}

/** Gives an option the type of its values. */
function option<T>(definition: { parse: Parse<T> } & Option<T>): Option<T> {
  return definition;
}
