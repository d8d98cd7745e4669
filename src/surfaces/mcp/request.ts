import { invalid, type FieldError } from "../../platform/base/errors.ts";
import type { Tool } from "./tools.ts";

export type Arguments = Readonly<Record<string, unknown>>;

/** A request to the API: a path with its query, and options for `fetch`. */
export type ApiRequest = { path: string; init: { method: string; headers: Record<string, string>; body?: string } };

/**
 * Builds the request for a tool call. Throws VALIDATION_ERROR for an unknown argument, or for a missing one without
 * which there is no request. The route validates all others.
 */
export function requestOf(tool: Tool, given: Arguments): ApiRequest {
  const args: Arguments = { ...tool.defaults, ...given };
  const problems = [...unknownArguments(tool, given), ...missingArguments(tool, args), ...badDryRun(tool, args)];
  if (problems.length > 0) throw invalid(problems);
  return builtRequest(tool, args);
}

/** Builds a request with the same IDs that shows what a tool without its own dry run would act on. */
export function lookRequestOf(look: string, args: Arguments): ApiRequest {
  const [method = "GET", path = ""] = look.split(" ");
  const { userId } = args;
  const query = userId === undefined ? "" : `?${new URLSearchParams({ userId: textOf(userId) })}`;
  return { path: filled(path, args) + query, init: { method, headers: {} } };
}

function builtRequest({ method, path, places, spec }: Tool, args: Arguments): ApiRequest {
  const at = (place: string) =>
    Object.entries(args).filter(([name, value]) => places.get(name) === place && value !== undefined);
  const query = new URLSearchParams(at("query").flatMap(([name, value]) => texts(value).map((text) => [name, text])));
  const headers = headersOf(args);
  const request = { path: filled(path, args) + (query.size > 0 ? `?${query}` : ""), init: { method, headers } };
  if (spec.file !== undefined) {
    headers["content-type"] = spec.file[textOf(args["format"])] ?? Object.values(spec.file)[0] ?? "text/plain";
    return { ...request, init: { ...request.init, body: textOf(args["content"]) } };
  }
  if (![...places.values()].includes("body")) return request;
  headers["content-type"] = "application/json";
  return { ...request, init: { ...request.init, body: JSON.stringify(Object.fromEntries(at("body"))) } };
}

function headersOf({ ifMatch, idempotencyKey, dryRun }: Arguments): Record<string, string> {
  return {
    ...(ifMatch !== undefined && { "if-match": textOf(ifMatch) }),
    // A dry run is a different request than the call that follows it, which may have the same key.
    ...(idempotencyKey !== undefined && dryRun !== true && { "idempotency-key": quoted(textOf(idempotencyKey)) }),
  };
}

/** As a structured string (RFC 8941, section 3.3.3), so that a comma does not split it in two. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

function unknownArguments({ name, places }: Tool, given: Arguments): FieldError[] {
  const known = [...places.keys()].filter((key) => key !== "userId").join(", ");
  return Object.keys(given)
    .filter((key) => !places.has(key))
    .slice(0, 20)
    .map((key) => ({
      path: key.slice(0, 100),
      message: `Unknown argument of ${name}. Expected ${known || "none"}.`,
    }));
}

/** Checks only what the path or the file requires; the route checks the rest. */
function missingArguments({ places }: Tool, given: Arguments): FieldError[] {
  return [...places]
    .filter(([key, place]) => (place === "path" || place === "file") && !isText(given[key]))
    .map(([key]) => ({ path: key, message: "Must not be empty." }));
}

/** A quoted "false" must not count as false or, silently, as true. */
function badDryRun({ places }: Tool, { dryRun }: Arguments): FieldError[] {
  return places.has("dryRun") && typeof dryRun !== "boolean"
    ? [{ path: "dryRun", message: "Expected true or false, without quotes." }]
    : [];
}

function isText(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || typeof value === "number";
}

function filled(path: string, args: Arguments): string {
  // A single dot would be resolved as a path segment (WHATWG URL) and select another route.
  const segment = (value: unknown) => encodeURIComponent(textOf(value).toWellFormed()).replace(/^\.{1,2}$/, "%00");
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(args[name]));
}

/** Encodes a value for a query: lists are repeated, objects are JSON. */
function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textOf) : [textOf(value)];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
