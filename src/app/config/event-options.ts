import type { Option } from "./sources.ts";
import { hostOrNetwork, listOf, wholeNumber } from "./values.ts";

export const eventOptions = {
  eventDays: option({
    argument: "DAYS",
    parse: wholeNumber(0, 36_500),
    default: 90,
    unit: "days",
    description: "How long events and webhook deliveries are retained. 0 retains them forever.",
  }),
  messageDays: option({
    argument: "DAYS",
    parse: wholeNumber(0, 36_500),
    default: 0,
    unit: "days",
    description:
      "How long the texts of messages in the inbox are retained. When a message was sent or received, and by whom, stays. 0 retains them forever.",
  }),
  maxStreams: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 100_000),
    default: 1000,
    unit: "streams",
    description: "Maximum number of open event streams.",
  }),
  maxStreamsPerKey: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 100_000),
    default: 100,
    unit: "streams",
    description: "Maximum number of open event streams per API key.",
  }),
  webhookPrivateHosts: option<readonly string[]>({
    argument: "HOSTS",
    parse: listOf(hostOrNetwork),
    default: [],
    show: (hosts) => hosts.join(","),
    description:
      "Private hosts, addresses, or networks (such as 10.0.0.0/8) that webhooks may be sent to, separated by commas. Plain HTTP is allowed for them.",
  }),
  webhookDisableDays: option({
    argument: "DAYS",
    parse: wholeNumber(0, 365),
    default: 5,
    unit: "days",
    description:
      "Disable a webhook endpoint after it has failed for this long without a success. 0 never disables one.",
  }),
};

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
