import { invalid, type FieldError } from "../../platform/base/errors.ts";
import type { Tool } from "./tools.ts";

export type Arguments = Readonly<Record<string, unknown>>;

/** What goes to the API: a path with its query, and the rest as `fetch` takes it. */
export type ApiRequest = { path: string; init: { method: string; headers: Record<string, string>; body?: string } };

/**
 * The request that a call of a tool means. Throws VALIDATION_ERROR for an argument that the tool does not have, or
 * without which there is no request; all others the route judges.
 */
export function requestOf(tool: Tool, given: Arguments): ApiRequest {
  const args: Arguments = { ...tool.defaults, ...given };
  const problems = [...unknownArguments(tool, given), ...missingArguments(tool, args), ...badDryRun(tool, args)];
  if (problems.length > 0) throw invalid(problems);
  return builtRequest(tool, args);
}

/** A request with the same ids, by which a tool without a dry run of its own shows what it would act upon. */
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
    // A dry run is another request than the call that follows it, which may well have the same key.
    ...(idempotencyKey !== undefined && dryRun !== true && { "idempotency-key": quoted(textOf(idempotencyKey)) }),
  };
}

/** As a structured string (RFC 8941, section 3.3.3), so that a comma in it does not part two. */
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
      message: `${name} has no such argument. It takes ${known || "none"}.`,
    }));
}

/** What the path or the file needs; the rest is asked for by the route. */
function missingArguments({ places }: Tool, given: Arguments): FieldError[] {
  return [...places]
    .filter(([key, place]) => (place === "path" || place === "file") && !isText(given[key]))
    .map(([key]) => ({ path: key, message: "Expected a text that is not empty." }));
}

/** "false" in quotes must neither pass for false nor, unseen, for true. */
function badDryRun({ places }: Tool, { dryRun }: Arguments): FieldError[] {
  return places.has("dryRun") && typeof dryRun !== "boolean"
    ? [{ path: "dryRun", message: "Expected true or false, without quotes." }]
    : [];
}

function isText(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || typeof value === "number";
}

function filled(path: string, args: Arguments): string {
  // A dot alone would be taken for a step in the path (WHATWG URL), and mean another route.
  const segment = (value: unknown) => encodeURIComponent(textOf(value).toWellFormed()).replace(/^\.{1,2}$/, "%00");
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(args[name]));
}

/** As a query has it: a list is repeated, an object is JSON. */
function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textOf) : [textOf(value)];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
