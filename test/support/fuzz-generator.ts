import type { Dice } from "./ids.ts";
import type { ApiDocument } from "./openapi.ts";

type Json = { readonly [name: string]: unknown };

/** One request as it is sent. */
export type FuzzRequest = { method: string; target: string; headers: Record<string, string>; body?: string };

type Parameter = { name: string; in: string; required?: boolean; schema?: Json };
type Node = { parameters?: Parameter[]; requestBody?: { content: Record<string, { schema?: Json }> } };

const maxIds = 40;
const maxTarget = 4000;

/**
 * Requests from an OpenAPI document: values that fit their schemas, some of which are then spoiled. Ids are those of
 * earlier responses, so that requests reach what others created.
 */
export class RequestGenerator {
  readonly #json: Json;
  readonly #dice: Dice;
  readonly #operations: { method: string; path: string; node: Node }[];
  /** By the name of the parameter or field that they are used for. */
  readonly #ids = new Map<string, string[]>();

  constructor(document: ApiDocument, dice: Dice) {
    this.#json = document.json;
    this.#dice = dice;
    const paths = document.json["paths"] as Record<string, Record<string, Node>>;
    this.#operations = document.operations
      // In maintenance mode every change would be refused from then on.
      .filter(({ path }) => path.startsWith("/api/v2") && path !== "/api/v2/operations/maintenance")
      .map(({ method, path }) => ({ method, path, node: paths[path]![method.toLowerCase()]! }));
  }

  next(): FuzzRequest {
    const { method, path, node } = this.#dice.pick(this.#operations);
    const parameters = node.parameters ?? [];
    const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(this.#pathValue(path, name)));
    const query = this.#query(parameters.filter((each) => each.in === "query"));
    const headers = this.#headers(parameters.filter((each) => each.in === "header"));
    // Longer ones the runtime refuses before the API sees them (431).
    const whole = (target + query).slice(0, maxTarget).replace(/%[\da-f]?$/i, "");
    return { method, target: whole, headers, ...this.#body(method, node, headers) };
  }

  /** Remembers the ids in a response, for later requests. */
  learn(path: string, body: unknown): void {
    if (typeof body === "string" || body === null || typeof body !== "object") return;
    const kind = path.split("/")[3] ?? "";
    for (const [, name = "", id = ""] of JSON.stringify(body).matchAll(/"(\w*[iI]d|name)":"([^"\\]{1,64})"/g)) {
      const ids = this.#ids.get(name === "id" ? kind : name) ?? [];
      if (ids.includes(id)) continue;
      ids.push(id);
      if (ids.length > maxIds) ids.splice(this.#dice.below(maxIds), 1);
      this.#ids.set(name === "id" ? kind : name, ids);
    }
  }

  #pathValue(path: string, name: string): string {
    const kind = path.split("/")[3] ?? "";
    const known = [...(this.#ids.get(name) ?? []), ...(this.#ids.get(kind) ?? [])];
    if (known.length > 0 && this.#dice.chance(0.8)) return this.#dice.pick(known);
    return this.#dice.pick(["nothing", "0", "null", "..%2f", "é", "a".repeat(300), crypto.randomUUID(), " ", "%"]);
  }

  #query(parameters: Parameter[]): string {
    const { chance, pick } = this.#dice;
    const query = new URLSearchParams();
    for (const { name, required, schema = {} } of parameters) {
      if (!chance(required === true ? 0.95 : 0.25)) continue;
      const value = chance(0.75) ? this.#value(schema, name, 0) : this.#junk(0);
      for (const one of Array.isArray(value) ? value.slice(0, 5) : [value]) query.append(name, textOf(one));
    }
    if (chance(0.05)) query.append(pick(["x", "__proto__", "limit", "cursor", "dryRun", "userId", "é"]), pick(texts));
    return query.size === 0 ? "" : `?${query}`;
  }

  #headers(parameters: Parameter[]): Record<string, string> {
    const { chance, pick } = this.#dice;
    const headers: Record<string, string> = {};
    for (const { name } of parameters)
      if (chance(0.2)) headers[name] = pick(['"a"', "a", crypto.randomUUID(), "*", "é"]);
    if (chance(0.05)) headers["range"] = pick(["bytes=0-1", "bytes=9-", "bytes=-0", "bytes=99999999999-", "x"]);
    if (chance(0.05)) headers[pick(["if-match", "if-none-match"])] = pick(["*", '"x"', 'W/"1"', "x"]);
    if (chance(0.05)) headers["prefer"] = pick(["respond-async", "return=minimal", ";;"]);
    if (chance(0.05)) headers["accept"] = pick(["text/csv", "application/json", "audio/wav", "x"]);
    // Or the stream of events would not end.
    headers["last-event-id"] = "nothing";
    return headers;
  }

  #body(method: string, { requestBody }: Node, headers: Record<string, string>): { body?: string } {
    const { chance, pick } = this.#dice;
    if (method === "GET") return {};
    if (requestBody === undefined && !chance(0.1)) return {};
    const types = Object.keys(requestBody?.content ?? {});
    const type = chance(0.95) && types.length > 0 ? pick(types) : pick(mediaTypes);
    if (chance(0.98)) headers["content-type"] = type === "multipart/form-data" ? `${type}; boundary=XbX` : type;
    if (chance(0.04)) return {};
    if (type === "multipart/form-data") return { body: this.#multipart() };
    if (type !== "application/json") return { body: this.#file() };
    const value = this.#value(requestBody?.content["application/json"]?.schema ?? {}, "", 0);
    const body = JSON.stringify(chance(0.4) ? this.#spoiled(value) : value) ?? "";
    return { body: chance(0.03) ? body.slice(0, this.#dice.below(body.length + 1)) : body };
  }

  #file(): string {
    const { pick, between } = this.#dice;
    const lines = Array.from({ length: between(0, 4) }, () => pick(fileLines));
    return [pick(["email,firstName", "email", '{"email":"a@example.com"}', "", "\0"]), ...lines].join("\n");
  }

  #multipart(): string {
    const { pick, between, chance } = this.#dice;
    const parts = Array.from({ length: between(0, 3) }, () => {
      const file = chance(0.5) ? '; filename="a.wav"\r\ncontent-type: audio/wav' : "";
      return `--XbX\r\nContent-Disposition: form-data; name="${pick(["name", "files", "text", "é"])}"${file}\r\n\r\n${pick(texts)}\r\n`;
    });
    return parts.join("") + (chance(0.9) ? "--XbX--\r\n" : "");
  }

  #value(schema: Json, name: string, depth: number): unknown {
    const { chance, pick, between } = this.#dice;
    const resolved = this.#resolved(schema);
    const options = (resolved["anyOf"] ?? resolved["oneOf"]) as Json[] | undefined;
    if (options !== undefined) return this.#value(pick(options), name, depth);
    if ("const" in resolved) return resolved["const"];
    if (Array.isArray(resolved["enum"])) return pick(resolved["enum"] as unknown[]);
    switch (resolved["type"]) {
      case "object":
        return depth > 6 ? {} : this.#object(resolved, depth);
      case "array": {
        const least = Number(resolved["minItems"] ?? 0);
        const length = depth > 6 ? least : between(least, Math.min(Number(resolved["maxItems"] ?? 3), least + 3));
        return Array.from({ length }, () => this.#value((resolved["items"] ?? {}) as Json, name, depth + 1));
      }
      case "boolean":
        return chance(0.5);
      case "null":
        return null;
      case "integer":
      case "number": {
        const least = Number(resolved["minimum"] ?? 0);
        return pick([least, between(least, Math.min(Number(resolved["maximum"] ?? least + 100), least + 100))]);
      }
      case "string":
        return this.#text(resolved, name);
      default:
        return this.#junk(depth);
    }
  }

  #object(schema: Json, depth: number): Record<string, unknown> {
    const { chance } = this.#dice;
    const required = (schema["required"] ?? []) as string[];
    const made: Record<string, unknown> = {};
    for (const [name, property] of Object.entries((schema["properties"] ?? {}) as Record<string, Json>))
      if (required.includes(name) || chance(0.35)) made[name] = this.#value(property, name, depth + 1);
    for (const property of Object.values((schema["patternProperties"] ?? {}) as Record<string, Json>))
      if (chance(0.5)) made[this.#dice.pick(["a", "note", "é"])] = this.#value(property, "", depth + 1);
    return made;
  }

  #text(schema: Json, name: string): string {
    const { chance, pick } = this.#dice;
    const known = this.#ids.get(name) ?? this.#ids.get(`${name}s`);
    if (known !== undefined && chance(0.8)) return pick(known);
    if (schema["format"] === "date-time" || /(At|After|Before|until|from|to|Date)$/.test(name)) return pick(instants);
    if (/email/i.test(name)) return `a${this.#dice.below(200)}@example.com`;
    // What it leads to is on this machine, where nobody listens.
    if (/url/i.test(name)) return pick(["https://network.example/in/ada", "http://127.0.0.1:9/", "x"]);
    return pick(texts).slice(0, Number(schema["maxLength"] ?? 1000));
  }

  /** The value with one of its parts replaced, removed or added. */
  #spoiled(value: unknown): unknown {
    const { chance, pick } = this.#dice;
    if (typeof value !== "object" || value === null || chance(0.1)) return this.#junk(0);
    const names = Object.keys(value);
    const name = names.length > 0 && chance(0.85) ? pick(names) : pick(["x", "filter", "__proto__", "constructor"]);
    if (Array.isArray(value)) return value.map((item, at) => (at === 0 ? this.#spoiled(item) : item));
    const fields = value as Record<string, unknown>;
    if (chance(0.15)) return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
    const deeper = typeof fields[name] === "object" && chance(0.7) ? this.#spoiled(fields[name]) : this.#junk(0);
    return Object.fromEntries([...Object.entries(fields), [name, deeper]]);
  }

  #junk(depth: number): unknown {
    const { pick, chance } = this.#dice;
    if (depth < 3 && chance(0.15)) return { [pick(texts)]: this.#junk(depth + 1) };
    if (depth < 3 && chance(0.15)) return [this.#junk(depth + 1), this.#junk(depth + 1)];
    return pick<unknown>([...texts, ...extremes]);
  }

  #resolved(schema: Json): Json {
    const pointer = schema["$ref"];
    if (typeof pointer !== "string") return schema;
    const { schemas } = this.#json["components"] as { schemas: Record<string, Json> };
    return schemas[pointer.replace("#/components/schemas/", "")] ?? {};
  }
}

const texts: readonly string[] = [
  ...["", " ", "a", "Ada", "null", "true", "0", "-1", "{{firstName}}", "{{", "%00", "../../etc/passwd", "'; --"],
  ...["é", "e\u0301", "😀", "\u202Eabc", "\u0000", "\uD800", "\uFEFF", "a".repeat(256), "ß".repeat(5000)],
  ...["2026-01-05T10:00:00Z", "a@example.com", "example.com", "https://network.example/in/ada", "hello, world"],
];
const extremes: readonly unknown[] = [
  ...[0, -1, 1, 0.5, -0, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, 101, 10_001],
  ...[true, false, null, [], {}, [[]], [null], { a: null }],
];
const instants = ["2026-01-05T10:00:00.000Z", "2026-01-05", "1767607200", "0001-01-01", "9999-12-31T23:59:59Z", "x"];
const mediaTypes = ["application/json", "text/plain", "text/csv", "multipart/form-data", "x", "application/xml"];
const fileLines = ["a@example.com,Ada", ",", '"', '{"email":5}', "b@example.com", "\uFFFD", "{}", "[]"];

function textOf(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed() : (JSON.stringify(value) ?? "");
}
