import { parseInstant } from "../../platform/base/clock.ts";
import { isTimeZone } from "../../features/network/governor/zone.ts";
import { isPhoneRegion, type PhoneRegion } from "../../platform/identity/phone.ts";

/**
 * Parsers of option values. Each takes the text that an operator wrote and answers the value, or throws a `RangeError`
 * whose message says what was expected and what came. The same parser reads flags, environment and file.
 */
export type Parse<T> = (text: string) => T;

/** An address to listen on; `host` has no brackets, also when it is an IPv6 address. */
export type ListenAddress = { host: string; port: number };

export const text: Parse<string> = (value) => {
  if (value.trim() === "") throw refusal("a text that is not empty", value);
  return value;
};

/** A whole number within bounds, both included. */
export function wholeNumber(min: number, max: number): Parse<number> {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) throw refusal(`a whole number from ${min} to ${max}`, value);
    return number;
  };
}

const bytesPerUnit = new Map([
  ["TiB", 2 ** 40],
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
  ["TB", 1e12],
  ["GB", 1e9],
  ["MB", 1e6],
  ["kB", 1e3],
  ["B", 1],
]);

/** A number of bytes, plain or with a unit in any case: 1048576, 10MB (powers of 1000), 512KiB (powers of 1024). */
export function size(min: number, max: number): Parse<number> {
  return (value) => {
    const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(value.trim()) ?? [];
    const factor = [...bytesPerUnit].find(([name]) => name.toLowerCase() === (unit || "B").toLowerCase())?.[1];
    if (digits === undefined || factor === undefined) throw refusal("a size such as 1048576, 10MB or 512KiB", value);
    const bytes = Math.round(Number(digits) * factor);
    if (bytes < min || bytes > max) throw refusal(`a size from ${showSize(min)} to ${showSize(max)}`, value);
    return bytes;
  };
}

/** A text that `size` reads as exactly this many bytes. */
export function showSize(bytes: number): string {
  const [unit, factor] = [...bytesPerUnit].find(([, candidate]) => bytes % candidate === 0) ?? ["B", 1];
  return factor === 1 ? String(bytes) : `${bytes / factor}${unit}`;
}

/** The name of a host, in lower case, without `www.`. */
export const hostName: Parse<string> = (value) => {
  const host = value.toLowerCase().replace(/^www\./, "");
  if (!/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/.test(host))
    throw refusal("the name of a host, such as linkedin.com", value);
  return host;
};

/** A host, an address, or a network such as 10.0.0.0/8. */
export const hostOrNetwork: Parse<string> = (value) => {
  const [, address = "", prefix] = /^(.+)\/(\d{1,3})$/.exec(value) ?? [];
  const { isIP } = net();
  const isNetwork = isIP(address) > 0 && Number(prefix) <= (isIP(address) === 4 ? 32 : 128);
  if (isNetwork || isIP(value) > 0 || /^[a-z0-9_]([a-z0-9._-]{0,251}[a-z0-9_])?$/i.test(value)) return value;
  throw refusal("a host, an address or a network such as 10.0.0.0/8", value);
};

/** `true` or `false`. */
export const trueOrFalse: Parse<boolean> = (value) => {
  if (value !== "true" && value !== "false") throw refusal("true or false", value);
  return value === "true";
};

/** A moment, as ISO 8601 writes it; milliseconds. */
export const instant: Parse<number> = (value) => {
  const at = parseInstant(value);
  if (at === null) throw refusal("a moment such as 2026-01-05T09:00:00Z", value);
  return at;
};

/** One of `choices`, exactly as written there. */
export function oneOf<const C extends string>(choices: readonly C[]): Parse<C> {
  return (value) => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw refusal(`one of ${choices.join(", ")}`, value);
    return choice;
  };
}

/** A list with commas between its items; spaces around an item and empty items are dropped. */
export function listOf<T>(parseItem: Parse<T>): Parse<readonly T[]> {
  return (value) =>
    value
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
      .map(parseItem);
}

/** A list of NAME=VALUE with commas between its items; names are lower case, digits and hyphens, each once. */
export function namedListOf<T>(parseValue: Parse<T>): Parse<Readonly<Record<string, T>>> {
  const parseItem: Parse<[string, T]> = (item) => {
    const [, name, value] = /^([a-z][a-z0-9-]*)\s*=\s*(.*)$/.exec(item) ?? [];
    if (name === undefined || value === undefined) throw refusal("NAME=VALUE", item);
    return [name, parseValue(value)];
  };
  return (value) => {
    const items = listOf(parseItem)(value);
    if (new Set(items.map(([name]) => name)).size < items.length) throw refusal("each name once", value);
    return Object.fromEntries(items);
  };
}

/** HOST:PORT; an IPv6 host stands in brackets. The host must be named, so that nobody listens to the world by accident. */
export const listenAddress: Parse<ListenAddress> = (value) => {
  const [, bracketed, plain, digits = ""] = /^(?:\[([^\]]*)\]|([a-z0-9._-]+)):(\d{1,5})$/i.exec(value) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || (bracketed !== undefined && !net().isIPv6(bracketed)) || Number(digits) > 65_535)
    throw refusal("HOST:PORT such as 127.0.0.1:8080 or [::1]:8080", value);
  return { host, port: Number(digits) };
};

/** The text form of a listen address, as `listenAddress` reads it. */
export function showListenAddress({ host, port }: ListenAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** An http or https URL without credentials, query and fragment; a slash at the end is dropped. */
export const baseUrl: Parse<string> = (value) => {
  const url = httpUrl(value);
  if (url === null || url.username || url.password || url.search || url.hash)
    throw refusal("an http or https URL such as https://outreach.example.com", value);
  return url.href.replace(/\/+$/, "");
};

/** "*" or a web origin: scheme, host and perhaps port, as browsers send it in the Origin header (RFC 6454 section 7). */
export const origin: Parse<string> = (value) => {
  if (value === "*") return value;
  const url = httpUrl(value);
  if (url === null || url.username || url.password || !/^[a-z]+:\/\/[^/?#\\]+$/i.test(value))
    throw refusal("an origin such as https://app.example.com (no path, no slash at the end) or *", value);
  return url.origin;
};

/** A zone of the IANA database. A fixed offset is none: it is wrong for half of the year. */
export const timeZone: Parse<string> = (value) => {
  if (!isTimeZone(value)) throw refusal("an IANA time zone such as Europe/Berlin", value);
  return value;
};

/** A country by its two letters (ISO 3166-1), in any case, whose phone numbers are known. */
export const phoneRegion: Parse<PhoneRegion> = (value) => {
  const region = value.toUpperCase();
  if (!isPhoneRegion(region)) throw refusal("a country by its two letters, such as DE or US", value);
  return region;
};

/** An address that may lack a dot in the domain, because admin@localhost is a good name on one machine. */
export const emailAddress: Parse<string> = (value) => {
  if (value.length > 254 || !/^[^\s@<>",;]+@[^\s@<>",;]+$/.test(value))
    throw refusal("an e-mail address such as admin@example.com", value);
  return value;
};

function httpUrl(value: string): URL | null {
  const url = URL.parse(value);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? url : null;
}

function refusal(expected: string, got: string): RangeError {
  const shown = got.length > 80 ? `${got.slice(0, 77)}...` : got;
  return new RangeError(`Expected ${expected}, got "${shown}".`);
}

/** Loaded when an address is written down: it brings all of Node's streams along, which a start need not wait for. */
const net = () => process.getBuiltinModule("node:net");
