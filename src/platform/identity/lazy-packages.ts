import type * as Phones from "libphonenumber-js/min";
import type * as Suffixes from "tldts-icann";

// Both packages bring large tables: 10 ms of a start, and most commands and many lists never need them. Only `require`
// loads a module in the middle of synchronous work.
/* oxlint-disable no-require-imports */

let phones: typeof Phones | null = null;
let suffixes: typeof Suffixes | null = null;

/** libphonenumber-js, loaded with the first call. */
export function phoneLibrary(): typeof Phones {
  return (phones ??= require("libphonenumber-js/min") as typeof Phones);
}

/** The registries' section of the public suffix list (publicsuffix.org), loaded with the first call. */
export function suffixLibrary(): typeof Suffixes {
  return (suffixes ??= require("tldts-icann") as typeof Suffixes);
}
