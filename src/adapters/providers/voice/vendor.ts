import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Clock } from "../../../platform/base/clock.ts";
import { parseJson } from "../../../platform/base/json.ts";
import type { HttpBody } from "../../../lib/guarded-http/http-body.ts";
import type { HttpClient } from "../../../lib/guarded-http/http-client.ts";
import type { VendorFailure } from "./failure.ts";

/** Whom an adapter speaks with. */
export type Vendor = {
  /** For sentences: "ElevenLabs", "The XTTS server". */
  name: string;
  /** Without a slash at the end. */
  url: string;
  headers: Readonly<Record<string, string>>;
  http: HttpClient;
  clock: Clock;
  /** What must never stand in a reason. */
  secrets: readonly string[];
  /** The options that a refused access, or an address that leads nowhere, may be set right with. */
  options: { key: string | null; url: string };
  /** A sentence on why it may answer with nothing but silence. */
  silenceHint?: string;
  /** What this vendor means by an answer, where it isn't what everybody means; null: it is. */
  explain?: (said: Said) => VendorFailure | null;
};

/** What an answer said, read from whatever form the vendor gives its errors. */
export type Said = { status: number; code: string | null; words: string | null };

export type VendorRequest = {
  method?: "GET" | "POST" | "DELETE";
  /** With its slash; the ids in it are encoded. */
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: HttpBody;
  timeoutMs?: number;
  /** Statuses beside 2xx that the caller reads itself. */
  expects?: readonly number[];
};

export type VendorAnswer = { status: number; headers: Headers; body: Uint8Array };

/** How long one that answers with nonsense is left alone: mostly it is a page of something before it. */
export const garbageSeconds = 300;

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The request as the client sends it. */
export function addressed(vendor: Vendor, { method, path, query = {}, body }: VendorRequest) {
  const search = new URLSearchParams(query).toString();
  return {
    method: method ?? (body === undefined ? ("GET" as const) : ("POST" as const)),
    url: `${vendor.url}${path}${search === "" ? "" : `?${search}`}`,
    headers: vendor.headers,
    ...(body && { body }),
  };
}

/** The answer as JSON; undefined when it is empty or something else. */
export function jsonOf({ body }: Pick<VendorAnswer, "body">): unknown {
  try {
    return parseJson(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** `value` when it has the shape of `schema`, else null. */
export function shaped<T extends TSchema>(schema: T, value: unknown): Static<T> | null {
  return Value.Check(schema, value) ? value : null;
}
