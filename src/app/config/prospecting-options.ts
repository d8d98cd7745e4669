import type { Option } from "./sources.ts";
import { baseUrl, namedListOf } from "./values.ts";

/** Options of prospect search. The vendors' API keys are shared with enrichment. */
export const prospectingOptions = {
  prospectUrls: option<Readonly<Record<string, string>>>({
    argument: "NAME=URL,…",
    parse: namedListOf(baseUrl),
    default: {},
    show: (urls) =>
      Object.entries(urls)
        .map(([name, url]) => `${name}=${url}`)
        .join(","),
    description:
      "Base URLs of the live sources apollo, pdl, and fullenrich that replace the vendors' defaults. A source is available once its API key is set.",
  }),
};

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
