import type { Option } from "./sources.ts";
import { hostOrNetwork, listOf, wholeNumber } from "./values.ts";

export const eventOptions = {
  eventDays: option({
    argument: "DAYS",
    parse: wholeNumber(0, 36_500),
    default: 90,
    unit: "days",
    description: "How long events, and what became of their webhooks, are kept. 0 = for ever.",
  }),
  maxStreams: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 100_000),
    default: 1000,
    unit: "streams",
    description: "Live streams of events that may be open at once.",
  }),
  maxStreamsPerKey: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 100_000),
    default: 100,
    unit: "streams",
    description: "Live streams that one API key may have open.",
  }),
  webhookPrivateHosts: option<readonly string[]>({
    argument: "HOSTS",
    parse: listOf(hostOrNetwork),
    default: [],
    show: (hosts) => hosts.join(","),
    description:
      "Hosts, addresses or networks (10.0.0.0/8) of your own that webhooks may be posted to although they are not public, with commas between them. They may be called by plain http.",
  }),
  webhookDisableDays: option({
    argument: "DAYS",
    parse: wholeNumber(0, 365),
    default: 5,
    unit: "days",
    description: "A webhook endpoint that has failed for so long without a success is turned off. 0 = never.",
  }),
};

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
