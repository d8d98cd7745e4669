import type * as Phones from "libphonenumber-js/min";
import type * as Suffixes from "tldts";

// Both packages bring large tables: 10 ms of startup that most commands and many lists never need. Only `require` can
// load a module synchronously.
/* oxlint-disable no-require-imports */

let phones: typeof Phones | null = null;
let suffixes: typeof Suffixes | null = null;

/** libphonenumber-js, loaded on the first call. */
export function phoneLibrary(): typeof Phones {
  return (phones ??= require("libphonenumber-js/min") as typeof Phones);
}

/** tldts with the Public Suffix List, loaded on the first call. */
export function suffixLibrary(): typeof Suffixes {
  return (suffixes ??= require("tldts") as typeof Suffixes);
}
