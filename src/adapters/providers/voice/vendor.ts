import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Clock } from "../../../platform/base/clock.ts";
import { parseJson } from "../../../platform/base/text.ts";
import type { HttpBody } from "../../../lib/guarded-http/http-body.ts";
import type { HttpClient } from "../../../lib/guarded-http/http-client.ts";
import type { VendorFailure } from "./failure.ts";

/** The vendor that an adapter talks to. */
export type Vendor = {
  /** Name for messages: "ElevenLabs", "The XTTS server". */
  name: string;
  /** Without a trailing slash. */
  url: string;
  headers: Readonly<Record<string, string>>;
  http: HttpClient;
  clock: Clock;
  /** Values that must never appear in a reason. */
  secrets: readonly string[];
  /** Options that fix denied access or a wrong URL. */
  options: { key: string | null; url: string };
  /** Explains why it may send nothing but silence. */
  silenceHint?: string;
  /** Interprets responses whose meaning is specific to this vendor; null = the usual meaning. */
  explain?: (said: Said) => VendorFailure | null;
};

/** The message in an error response, in any of the vendors' formats. */
export type Said = { status: number; code: string | null; words: string | null };

export type VendorRequest = {
  method?: "GET" | "POST" | "DELETE";
  /** With a leading slash; IDs in it are encoded. */
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: HttpBody;
  timeoutMs?: number;
  /** Statuses besides 2xx that the caller handles. */
  expects?: readonly number[];
};

export type VendorAnswer = { status: number; headers: Headers; body: Uint8Array };

/** Delay after an unreadable response, which is usually a page of something in front of the vendor. */
export const garbageSeconds = 300;

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Builds the request for the HTTP client. */
export function addressed(vendor: Vendor, { method, path, query = {}, body }: VendorRequest) {
  const search = new URLSearchParams(query).toString();
  return {
    method: method ?? (body === undefined ? ("GET" as const) : ("POST" as const)),
    url: `${vendor.url}${path}${search === "" ? "" : `?${search}`}`,
    headers: vendor.headers,
    ...(body && { body }),
  };
}

/** Returns the response as JSON; undefined if it is empty or not JSON. */
export function jsonOf({ body }: Pick<VendorAnswer, "body">): unknown {
  try {
    return parseJson(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Returns `value` if it matches `schema`, otherwise null. */
export function shaped<T extends TSchema>(schema: T, value: unknown): Static<T> | null {
  return Value.Check(schema, value) ? value : null;
}
