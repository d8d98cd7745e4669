import { basePathOf, ownPaths } from "../../platform/base/base-path.ts";
import { parseInstant } from "../../platform/base/clock.ts";
import { isTimeZone } from "../../features/network/governor/zone.ts";
import { isPhoneRegion, type PhoneRegion } from "../../platform/identity/phone.ts";

/**
 * Parses the text of an option. Throws a `RangeError` that says what was expected and what it got. The same parser
 * reads flags, environment variables, and the file.
 */
export type Parse<T> = (text: string) => T;

/** An address to listen on. `host` has no brackets, even if it is an IPv6 address. */
export type ListenAddress = { host: string; port: number };

export const text: Parse<string> = (value) => {
  if (value.trim() === "") throw unexpected("text that is not empty", value);
  return value;
};

/** Parses a whole number from `min` to `max`, inclusive. */
export function wholeNumber(min: number, max: number): Parse<number> {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) throw unexpected(`a whole number from ${min} to ${max}`, value);
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

/**
 * Parses a number of bytes, plain or with a unit in any case: 1048576, 10MB (powers of 1000), 512KiB (powers of 1024).
 */
export function size(min: number, max: number): Parse<number> {
  return (value) => {
    const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(value.trim()) ?? [];
    const factor = [...bytesPerUnit].find(([name]) => name.toLowerCase() === (unit || "B").toLowerCase())?.[1];
    if (digits === undefined || factor === undefined) throw unexpected("a size such as 1048576, 10MB or 512KiB", value);
    const bytes = Math.round(Number(digits) * factor);
    if (bytes < min || bytes > max) throw unexpected(`a size from ${showSize(min)} to ${showSize(max)}`, value);
    return bytes;
  };
}

/** Formats bytes such that `size` parses them back exactly. */
export function showSize(bytes: number): string {
  const [unit, factor] = [...bytesPerUnit].find(([, candidate]) => bytes % candidate === 0) ?? ["B", 1];
  return factor === 1 ? String(bytes) : `${bytes / factor}${unit}`;
}

/** Parses a host name; the result is lowercase and has no `www.`. */
export const hostName: Parse<string> = (value) => {
  const host = value.toLowerCase().replace(/^www\./, "");
  if (!/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/.test(host))
    throw unexpected("a host name such as linkedin.com", value);
  return host;
};

/** Accepts a host, an address, or a network such as 10.0.0.0/8. */
export const hostOrNetwork: Parse<string> = (value) => {
  const [, address = "", prefix] = /^(.+)\/(\d{1,3})$/.exec(value) ?? [];
  const { isIP } = net();
  const isNetwork = isIP(address) > 0 && Number(prefix) <= (isIP(address) === 4 ? 32 : 128);
  if (isNetwork || isIP(value) > 0 || /^[a-z0-9_]([a-z0-9._-]{0,251}[a-z0-9_])?$/i.test(value)) return value;
  throw unexpected("a host, an address, or a network such as 10.0.0.0/8", value);
};

/** Parses `true` or `false`. */
export const trueOrFalse: Parse<boolean> = (value) => {
  if (value !== "true" && value !== "false") throw unexpected("true or false", value);
  return value === "true";
};

/** Parses an ISO 8601 timestamp into milliseconds. */
export const instant: Parse<number> = (value) => {
  const at = parseInstant(value);
  if (at === null) throw unexpected("a timestamp such as 2026-01-05T09:00:00Z", value);
  return at;
};

/** Accepts one of `choices`; case matters. */
export function oneOf<const C extends string>(choices: readonly C[]): Parse<C> {
  return (value) => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw unexpected(`one of ${choices.join(", ")}`, value);
    return choice;
  };
}

/** Parses a comma-separated list. Spaces around items and empty items are dropped. */
export function listOf<T>(parseItem: Parse<T>): Parse<readonly T[]> {
  return (value) =>
    value
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
      .map(parseItem);
}

/**
 * Parses a comma-separated list of NAME=VALUE. Names consist of lowercase letters, digits, and hyphens and are unique.
 */
export function namedListOf<T>(parseValue: Parse<T>): Parse<Readonly<Record<string, T>>> {
  const parseItem: Parse<[string, T]> = (item) => {
    const [, name, value] = /^([a-z][a-z0-9-]*)\s*=\s*(.*)$/.exec(item) ?? [];
    if (name === undefined || value === undefined) throw unexpected("NAME=VALUE", item);
    return [name, parseValue(value)];
  };
  return (value) => {
    const items = listOf(parseItem)(value);
    if (new Set(items.map(([name]) => name)).size < items.length) throw unexpected("each name only once", value);
    return Object.fromEntries(items);
  };
}

/** Parses HOST:PORT, with an IPv6 host in brackets. The host is required so that no server is exposed by accident. */
export const listenAddress: Parse<ListenAddress> = (value) => {
  const [, bracketed, plain, digits = ""] = /^(?:\[([^\]]*)\]|([a-z0-9._-]+)):(\d{1,5})$/i.exec(value) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || (bracketed !== undefined && !net().isIPv6(bracketed)) || Number(digits) > 65_535)
    throw unexpected("HOST:PORT such as 127.0.0.1:8080 or [::1]:8080", value);
  return { host, port: Number(digits) };
};

/** Formats a listen address such that `listenAddress` parses it. */
export function showListenAddress({ host, port }: ListenAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Accepts an http or https URL without credentials, query, or fragment. A trailing slash is dropped. */
export const baseUrl: Parse<string> = (value) => {
  const url = httpUrl(value);
  if (url === null || url.username || url.password || url.search || url.hash)
    throw unexpected("an http or https URL such as https://outreach.example.com", value);
  return url.href.replace(/\/+$/, "");
};

/** Like `baseUrl`, for the server itself. Its path must be plain, and must not look like one of the server's own. */
export const publicServerUrl: Parse<string> = (value) => {
  const url = baseUrl(value);
  const path = basePathOf(url);
  if (!/^(\/[\w.~-]+)*$/.test(path))
    throw unexpected(
      "a path of letters, digits, and the characters . _ ~ - such as https://example.com/outreach",
      value,
    );
  const first = path.split("/")[1];
  if (first !== undefined && ownPaths.includes(first))
    throw unexpected(`another path, because /${first} is a path of the server itself`, value);
  return url;
};

/** Accepts an https URL without credentials, query, or fragment, as it is; http only on this machine. */
export const httpsUrl: Parse<string> = (value) => {
  const url = httpUrl(value);
  if (url === null || url.username || url.password || url.search || url.hash || url.pathname.includes("/.well-known/"))
    throw unexpected("an https URL such as https://id.example.com/realms/team", value);
  if (url.protocol === "http:" && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname))
    throw unexpected("an https URL; http is only for this machine", value);
  return value;
};

/**
 * Accepts "*" or a web origin: scheme, host, and optional port, as browsers send it in the Origin header (RFC 6454
 * section 7).
 */
export const origin: Parse<string> = (value) => {
  if (value === "*") return value;
  const url = httpUrl(value);
  if (url === null || url.username || url.password || !/^[a-z]+:\/\/[^/?#\\]+$/i.test(value))
    throw unexpected("an origin such as https://app.example.com (without a path or trailing slash) or *", value);
  return url.origin;
};

/** Accepts an IANA time zone. A fixed offset is rejected: it is wrong for half of the year. */
export const timeZone: Parse<string> = (value) => {
  if (!isTimeZone(value)) throw unexpected("an IANA time zone such as Europe/Berlin", value);
  return value;
};

/** Accepts a two-letter country code (ISO 3166-1) in any case, if its phone numbers can be parsed. */
export const phoneRegion: Parse<PhoneRegion> = (value) => {
  const region = value.toUpperCase();
  if (!isPhoneRegion(region)) throw unexpected("a two-letter country code such as DE or US", value);
  return region;
};

/** Accepts an email address. The domain needs no dot, because admin@localhost is fine on a single machine. */
export const emailAddress: Parse<string> = (value) => {
  if (value.length > 254 || !/^[^\s@<>",;]+@[^\s@<>",;]+$/.test(value))
    throw unexpected("an email address such as admin@example.com", value);
  return value;
};

function httpUrl(value: string): URL | null {
  const url = URL.parse(value);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? url : null;
}

function unexpected(expected: string, got: string): RangeError {
  const shown = got.length > 80 ? `${got.slice(0, 77)}...` : got;
  return new RangeError(`Expected ${expected}, got "${shown}".`);
}

/** Loaded on demand: it loads all of Node's streams, which would slow down the start. */
const net = () => process.getBuiltinModule("node:net");
