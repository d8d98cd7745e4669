import type { Option } from "./sources.ts";
import { baseUrl, namedListOf } from "./values.ts";

/** Everything about the search for prospects but the vendors' keys, which enrichment has as well. */
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
      "Base URLs of the live sources apollo, pdl and fullenrich in the place of the vendors' own. A source is there as soon as its key is set.",
  }),
};

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
