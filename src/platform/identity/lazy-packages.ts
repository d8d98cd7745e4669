import type * as Phones from "libphonenumber-js/min";
import type * as Suffixes from "tldts";

// The only lazy boundary in the code: the tables of these packages take 20 of 110 ms until the server is ready, in each of
// three threads. Only `require` loads a module synchronously; Bun's bundler evaluates `import defer` at once.
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
