import { Kind, OptionalKind, type Static, type TObject, type TSchema } from "@sinclair/typebox";
import { TypeCompiler, type TypeCheck } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { ApiError, invalid, type FieldError } from "../base/errors.ts";
import { parseJson } from "../base/text.ts";
import type { BodyDigest } from "./body-digest.ts";
import { fieldErrors, refuseUnknownNames, unknownField, type Accepted } from "./input-errors.ts";

/** What reading a body needs of a request: the request context, or a part of it. */
export type BodySource = {
  request: Request;
  /** The API key that was sent; null if there is none. */
  secret: string | null;
  /** Throws once the caller may not go on; null if nothing checks it. */
  recheck?: (() => Promise<void>) | null;
  /** With an Idempotency-Key: the digest to update with everything that is read. */
  keyed: { digest: BodyDigest } | null;
};

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The JSON value of a request body; undefined without a body. Throws 415 for another content type, 413 as soon as
 * more than `maxBytes` are announced or received, 400 for malformed JSON or UTF-8, and 408 if it arrives too slowly.
 */
export async function readJson(source: BodySource, maxBytes: number): Promise<unknown> {
  const { request, keyed } = source;
  const announced = announcedBytes(request);
  // Accessing `body` turns it into a stream that everything is then read through: a tenth of a request slower.
  if (announced === null ? request.body === null : announced === 0) {
    keyed?.digest.end();
    return undefined;
  }
  if (!isJson(source)) throw new ApiError("UNSUPPORTED_MEDIA_TYPE", { message: "Send the body as application/json." });
  if (announced !== null && announced > maxBytes) throw tooLarge(maxBytes);
  // Bun enforces an announced length; only a body without one has to be counted.
  const bytes =
    announced === null
      ? await collected(request.body && paced(request.body as ReadableStream<Uint8Array>), maxBytes)
      : await wholeBodies.within(request.bytes(), announced);
  keyed?.digest.whole(bytes);
  try {
    return parseJson(decoded(bytes));
  } catch (error) {
    throw invalid([{ path: "", message: `The body is not valid JSON: ${(error as Error).message}.` }]);
  }
}

/**
 * The body as it arrives, for routes that accept files. Throws REQUEST_TIMEOUT if it arrives too slowly. Only this folder
 * reads `request.body` directly.
 */
export function bodyStream({ request, recheck, keyed }: BodySource): AsyncIterable<Uint8Array> | null {
  const body = request.body === null ? null : paced(request.body as ReadableStream<Uint8Array>, recheck);
  return keyed === null ? body : keyed.digest.ofFile(body, mediaType(request), charset(request));
}

/** The content type without its parameters, in lower case; "" if there is none. */
export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** The charset of the content type as it was sent; null if there is none. */
export function charset(request: Request): string | null {
  const [, quoted, plain] =
    /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(request.headers.get("content-type") ?? "") ?? [];
  return (quoted ?? plain)?.trim() || null;
}

/** The length in Content-Length; null if there is none. */
export function announcedBytes({ headers }: Request): number | null {
  const announced = headers.get("content-length");
  return announced === null ? null : Number(announced);
}

/** Throws 413 if the announced length is too large. */
export function refuseAnnounced(request: Request, maxBytes: number): void {
  if ((announcedBytes(request) ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

export function tooLarge(maxBytes: number): ApiError {
  return new ApiError("PAYLOAD_TOO_LARGE", {
    message: `The body is larger than ${maxBytes} bytes.`,
    details: { maxBytes },
  });
}

/**
 * curl sends a form content type by default. A request with a key in a header cannot come from a foreign page, because a
 * custom header requires a preflight. A request authenticated by a cookie must declare JSON.
 */
function isJson({ request, secret }: BodySource): boolean {
  const type = mediaType(request);
  if (type === "application/json") return true;
  return type === "application/x-www-form-urlencoded" && secret !== null;
}

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new SyntaxError("it is not encoded in UTF-8, as RFC 8259 requires");
  }
}

async function collected(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * How long a body may take to arrive: a minute, plus a second for each 16 KiB. The slowest mobile connection uploads a
 * 50 MB recording in that time; a client that trickles bytes to occupy a connection does not.
 */
const graceMs = 60_000;
const bytesPerSecond = 16 * 1024;
const checkIntervalMs = 1000;

/** An upload ends this soon after its caller was removed. */
const recheckMs = 500;

/**
 * Passes on the chunks of a body. Throws REQUEST_TIMEOUT once they arrive more slowly than allowed, and what `recheck`
 * throws, which is called at intervals and before the end.
 */
export async function* paced(
  body: AsyncIterable<Uint8Array>,
  recheck: (() => Promise<void>) | null = null,
  now: () => number = performance.now.bind(performance),
): AsyncGenerator<Uint8Array, void, void> {
  const startedAt = now();
  // Time spent by the consumer does not count.
  let consuming = 0;
  let bytes = 0;
  let checkedAt = startedAt;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    const receivedAt = now();
    if (recheck !== null && receivedAt - checkedAt >= recheckMs) {
      await recheck();
      checkedAt = now();
    }
    if (receivedAt - startedAt - consuming > longestMs(bytes)) throw tooSlow();
    yield chunk;
    consuming += now() - receivedAt;
  }
  if (recheck !== null && now() - checkedAt >= recheckMs) await recheck();
}

type Waiting = { until: number; reject: (reason: ApiError) => void };

/**
 * Limits the time of bodies that are read in one piece, which become visible only once they are complete. All of them share
 * one timer.
 */
export class WholeBodies {
  readonly #waiting = new Set<Waiting>();
  readonly #now: () => number;
  readonly #intervalMs: number;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(now: () => number = performance.now.bind(performance), intervalMs = checkIntervalMs) {
    this.#now = now;
    this.#intervalMs = intervalMs;
  }

  /** Resolves like `arriving`, or rejects with REQUEST_TIMEOUT if that takes too long. `bytes`: the announced length. */
  within<T>(arriving: Promise<T>, bytes: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiting: Waiting = { until: this.#now() + longestMs(bytes), reject };
      const settleWith =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          this.#waiting.delete(waiting);
          settle(value);
        };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(() => this.#check(), this.#intervalMs).unref();
      arriving.then(settleWith(resolve), settleWith(reject));
    });
  }

  #check(): void {
    for (const waiting of this.#waiting) if (waiting.until < this.#now()) waiting.reject(tooSlow());
    // Stopped only here: restarting the timer for each body costs more than one unnecessary check.
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

const wholeBodies = new WholeBodies();

function longestMs(bytes: number): number {
  return graceMs + (bytes / bytesPerSecond) * 1000;
}

function tooSlow(): ApiError {
  return new ApiError("REQUEST_TIMEOUT", { headers: { connection: "close" } });
}

/** A TypeBox schema with its validator, in the form of the Standard Schema interface (standardschema.dev). */
export type Input<T extends TSchema> = {
  readonly schema: T;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "typebox";
    readonly validate: (value: unknown) => { value: Static<T> };
    readonly types?: { readonly input: Static<T>; readonly output: Static<T> };
  };
};

/** Names accepted on every route that requires a key: `userId` for global keys, and `dryRun`, which is never ignored. */
export const acceptedEverywhere = ["userId", "dryRun"];
const maxUnknownNames = 20;

/** Validates a JSON body. Throws VALIDATION_ERROR with a message for each field. */
export function body<T extends TSchema>(schema: T): Input<T> {
  return input(schema, (value) => value ?? undefined);
}

/** Like `body`, for a single item of what other routes accept as a list: each error has the index 0. */
export function itemBody<T extends TSchema>(schema: T): Input<T> {
  return input(schema, (value) => value ?? undefined, 0);
}

/** Like `body`, for an optional body: a missing one is read as {}. */
export function optionalBody<T extends TObject>(schema: T): Input<T> {
  return input(schema, (value) => value ?? {});
}

/** Validates query or path parameters. Like `body`, but first parses numbers, booleans, and lists. */
export function params<T extends TObject>(schema: T): Input<T> {
  return input(schema, (value) => parseTexts(schema, value as Record<string, unknown>));
}

/** The value of a valid input; without a schema, the value as it is. */
export function parsed(input: Input<TSchema> | undefined, value: unknown): unknown {
  return input === undefined ? value : input["~standard"].validate(value).value;
}

/** The query parameters of a URL as strings, or as lists if they are repeated. Commas and brackets have no meaning. */
export function queryOf(url: string): Record<string, unknown> {
  const start = url.indexOf("?");
  if (start === -1) return {};
  const byName = Map.groupBy(new URLSearchParams(url.slice(start + 1)), ([name]) => name);
  const entries = [...byName].map(([name, pairs]) => [
    name,
    pairs.length === 1 ? pairs[0]?.[1] : pairs.map(([, value]) => value),
  ]);
  return Object.fromEntries(entries);
}

/**
 * Finds unknown names in a valid request and returns them for warnings. Throws VALIDATION_ERROR for all of them on a
 * strict route. On every route, it also throws for names that differ from a known name only in case or punctuation
 * (`not_before`) or resemble `dryRun`: ignoring `?dryrun=true` would execute a request that was intended as a trial.
 */
export function checkNames(query: object, body: unknown, accepted: Accepted): FieldError[] {
  const ignored = accepted.body === null ? [] : unknownFields(accepted.body, body, maxUnknownNames);
  if (ignored.length === 0 && hasOnlyKnownNames(query, body, accepted)) return ignored;
  return refuseUnknownNames(query, body, { ...accepted, everywhere: acceptedEverywhere }, ignored, maxUnknownNames);
}

/**
 * The fields of a valid value that its schema does not define, at every depth, in order and at most `max`. Object schemas
 * with `additionalProperties: true` and records accept all names.
 */
export function unknownFields(schema: TSchema, value: unknown, max: number): FieldError[] {
  const found: FieldError[] = [];
  collect(schema, value, "", found, max);
  return found;
}

function input<T extends TSchema>(schema: T, prepare: (value: unknown) => unknown, index?: number): Input<T> {
  const withIndex = (errors: FieldError[]) =>
    invalid(index === undefined ? errors : errors.map((error) => ({ ...error, index })));
  // Compiled on first use: compiling all of them takes a fifth of the startup time.
  let compiled: TypeCheck<T> | null = null;
  function validate(raw: unknown): { value: Static<T> } {
    const value = prepare(raw);
    const check = (compiled ??= TypeCompiler.Compile(schema));
    if (check.Check(value)) return { value };
    if (value === undefined) throw withIndex([{ path: "", message: "Send a JSON body." }]);
    throw withIndex(fieldErrors(check.Errors(value)));
  }
  return { schema, "~standard": { version: 1, vendor: "typebox", validate } };
}

function parseTexts(schema: TObject, raw: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = { ...raw };
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = raw[name];
    if (value === undefined) continue;
    // `?limit=` means that the parameter is absent, as in HTML forms.
    if (value === "" && property[OptionalKind] !== undefined) delete values[name];
    else values[name] = parseText(property, value);
  }
  return values;
}

function parseText(schema: TSchema, value: unknown): unknown {
  const kind = schema[Kind];
  if (kind === "Array") return Array.isArray(value) ? value : [value];
  if (typeof value !== "string") return value;
  // Numbers that JavaScript cannot represent exactly stay strings and are rejected.
  if (kind === "Integer" && /^[+-]?\d+(\.0+)?$/.test(value) && Number.isSafeInteger(Number(value)))
    return Number(value);
  if (kind === "Number" && /^[+-]?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (kind === "Boolean" && (value === "true" || value === "1")) return true;
  if (kind === "Boolean" && (value === "false" || value === "0")) return false;
  return value;
}

/** True for nearly every request whose body has no unknown fields. */
function hasOnlyKnownNames(query: object, body: unknown, accepted: Accepted): boolean {
  for (const name in query) if (!accepted.query.includes(name) && !acceptedEverywhere.includes(name)) return false;
  const acceptsAnyName = accepted.body === null || accepted.body["additionalProperties"] === true;
  return !acceptsAnyName || typeof body !== "object" || body === null || Array.isArray(body);
}

function collect(schema: TSchema, value: unknown, path: string, found: FieldError[], max: number): void {
  if (typeof value !== "object" || value === null || found.length >= max) return;
  const kind = schema[Kind];
  if (kind === "Object") return collectFields(schema as TObject, value as Record<string, unknown>, path, found, max);
  if (kind === "Union") {
    const variant = variantOf(schema["anyOf"] as TSchema[], value);
    if (variant !== null) collect(variant, value, path, found, max);
    return;
  }
  const items = itemsOf(schema, value);
  if (items === null) return;
  for (const name in value) collect(items, (value as Record<string, unknown>)[name], join(path, name), found, max);
}

function collectFields(
  schema: TObject,
  value: Record<string, unknown>,
  path: string,
  found: FieldError[],
  max: number,
) {
  for (const name in value) {
    if (Object.hasOwn(schema.properties, name)) {
      const field = value[name];
      if (typeof field === "object") collect(schema.properties[name]!, field, join(path, name), found, max);
    } else if (schema["additionalProperties"] !== true && found.length < max)
      found.push({ path: join(path, name.slice(0, 100)), message: unknownField(name, schema) });
  }
}

/** Schema of the items of a list or the values of a record; null if they cannot contain unknown names. */
function itemsOf(schema: TSchema, value: object): TSchema | null {
  const items = Array.isArray(value)
    ? (schema["items"] as TSchema | undefined)
    : Object.values((schema["patternProperties"] as Record<string, TSchema> | undefined) ?? {})[0];
  return items !== undefined && isStructured(items) ? items : null;
}

function isStructured(schema: TSchema): boolean {
  return structured.has(schema[Kind]);
}

const structured: ReadonlySet<string> = new Set(["Object", "Array", "Record", "Union"]);

/** The intended variant: the only structured one, or the matching one that defines the most fields. */
function variantOf(variants: TSchema[], value: object): TSchema | null {
  const candidates = variants.filter(isStructured);
  if (candidates.length < 2) return candidates[0] ?? null;
  const matching = candidates.filter((variant) => Value.Check(variant, value));
  const unknown = (variant: TSchema) => unknownFields(variant, value, Number.POSITIVE_INFINITY).length;
  return matching.toSorted((a, b) => unknown(a) - unknown(b))[0] ?? null;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
