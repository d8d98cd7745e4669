import type { Option } from "./sources.ts";
import { listOf, text, wholeNumber } from "./values.ts";

/** Everything about enrichment; part of the one list of options. */
export const enrichmentOptions = {
  enrichmentsPerHour: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 1_000_000_000),
    default: 100,
    unit: "requests",
    description: "Requests for enrichment, of up to 1000 leads each, that a user may make in an hour. 0 = no limit.",
  }),
  enrichmentProviders: option<readonly string[]>({
    argument: "NAMES",
    parse: listOf(text),
    default: ["local"],
    show: (names) => names.join(","),
    description:
      "Who is asked about a lead, in this order, with commas between them; only those named here are ever asked.",
  }),
};

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
