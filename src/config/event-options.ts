import type { Option } from "./sources.ts";
import { wholeNumber } from "./values.ts";

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
};

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
