import { Kind, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/** A part of a JSON document; what it holds is looked at before it is used. */
type Json = { readonly [name: string]: unknown };

export type Operation = {
  method: string;
  /** With parameters in braces. */
  path: string;
  /** One of them is enough; empty when any key will do. */
  permissions: string[];
  /** Whom it acts for; null where no key is asked for. */
  actsFor: "user" | "ownKey" | "caller" | null;
  operationId: string;
  summary: string;
  takesBody: boolean;
  /** Names of the fields of a JSON body; null when there is none. */
  bodyFields: string[] | null;
  parameters: string[];
  responses: Json;
};

/** The OpenAPI document of a service, to check answers against. */
export class ApiDocument {
  readonly json: Json;
  /** In the order of the document. */
  readonly operations: Operation[];
  readonly #bySpecificity: { operation: Operation; pattern: RegExp }[];
  readonly #components: TSchema[];
  readonly #checked = new WeakMap<Json, TSchema>();

  constructor(json: Json) {
    this.json = json;
    this.operations = operationsOf(json);
    this.#bySpecificity = this.operations
      .toSorted((a, b) => parametersIn(a.path) - parametersIn(b.path))
      .map((operation) => ({ operation, pattern: patternOf(operation.path) }));
    const schemas = part(part(json, "components"), "schemas");
    this.#components = Object.entries(schemas).map(([name, schema]) => ({ ...checkable(schema as Json), $id: name }));
  }

  /** The operation that a request means; a path without parameters goes before one with them. */
  find(method: string, path: string): Operation | null {
    const wanted = method === "HEAD" ? "GET" : method;
    const fits = ({ operation, pattern }: { operation: Operation; pattern: RegExp }) =>
      operation.method === wanted && pattern.test(path.replace(/(.)\/$/, "$1"));
    return this.#bySpecificity.find(fits)?.operation ?? null;
  }

  /** What an answer of an operation has that the document does not say, and the other way round. */
  problems(operation: Operation, status: number, contentType: string, body: unknown): string[] {
    const name = `${operation.method} ${operation.path}`;
    if (!(status in operation.responses)) return [`${name} does not document the status ${status}`];
    const content = part(part(operation.responses, `${status}`), "content");
    const documented = Object.keys(content);
    if (documented.length === 0) return body === "" ? [] : [`${name} ${status} documents no body`];
    const mediaType = contentType.split(";")[0] ?? "";
    if (!documented.includes(mediaType))
      return [`${name} ${status} documents ${documented.join(", ")}, got "${mediaType}"`];
    if (mediaType !== "application/json") return [];
    return this.#mismatches(part(part(content, mediaType), "schema"), body).map((text) => `${name} ${status}: ${text}`);
  }

  /** What a body has that is against the component of this name. */
  componentProblems(name: string, body: unknown): string[] {
    return this.#mismatches({ $ref: `#/components/schemas/${name}` }, body);
  }

  #mismatches(schema: Json, body: unknown): string[] {
    const known = this.#checked.get(schema) ?? checkable(schema);
    this.#checked.set(schema, known);
    return [...Value.Errors(known, this.#components, body)].map(
      ({ path, message, value }) => `${path || "/"} ${message}, got ${JSON.stringify(value)?.slice(0, 100)}`,
    );
  }
}

const methods = ["get", "post", "put", "patch", "delete"] as const;

function operationsOf(json: Json): Operation[] {
  return Object.keys(part(json, "paths")).flatMap((path) => {
    const item = part(part(json, "paths"), path);
    return methods.filter((method) => method in item).map((method) => operationOf(method, path, part(item, method)));
  });
}

function operationOf(method: string, path: string, node: Json): Operation {
  const parameters = Array.isArray(node["parameters"]) ? (node["parameters"] as Json[]) : [];
  return {
    method: method.toUpperCase(),
    path,
    permissions: (node["x-permission"] ?? []) as string[],
    actsFor: (node["x-acts-for"] ?? null) as Operation["actsFor"],
    operationId: String(node["operationId"]),
    summary: typeof node["summary"] === "string" ? node["summary"] : "",
    takesBody: "requestBody" in node,
    bodyFields: bodyFieldsOf(node),
    parameters: parameters.map(({ name }) => String(name)),
    responses: part(node, "responses"),
  };
}

function bodyFieldsOf(node: Json): string[] | null {
  const content = part(part(node, "requestBody"), "content");
  return "application/json" in content
    ? Object.keys(part(part(part(content, "application/json"), "schema"), "properties"))
    : null;
}

function parametersIn(path: string): number {
  return path.split("{").length - 1;
}

function patternOf(path: string): RegExp {
  const source = path
    .replace(/(.)\/$/, "$1")
    .replaceAll(".", "\\.")
    .replaceAll(/\{[^}]+\}/g, "[^/]+");
  return new RegExp(`^${source}$`);
}

function part(node: Json, name: string): Json {
  const found = node[name];
  return typeof found === "object" && found !== null ? (found as Json) : {};
}

const dateTime = "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$";

/**
 * A plain JSON Schema as TypeBox checks it. Objects that name their properties take no others: a field that the
 * document does not know is one that a client was never meant to see.
 */
function checkable(schema: Json): TSchema {
  const { $ref, anyOf, properties, patternProperties, items, format, ...rest } = schema;
  if (typeof $ref === "string") return typed("Ref", { $ref: $ref.replace("#/components/schemas/", "") });
  if (Array.isArray(schema["enum"]))
    return typed("Union", { anyOf: schema["enum"].map((value) => checkable({ const: value })) });
  if (Array.isArray(anyOf)) return typed("Union", { ...rest, anyOf: anyOf.map(checkable) });
  if ("const" in schema) return typed("Literal", rest);
  if (format === "date-time") return typed("String", { ...rest, pattern: dateTime });
  if (patternProperties !== undefined)
    return typed("Record", { ...rest, patternProperties: mapped(patternProperties as Json) });
  if (properties !== undefined)
    return typed("Object", { additionalProperties: false, ...rest, properties: mapped(properties as Json) });
  if (schema["type"] === "array") return typed("Array", { ...rest, items: checkable((items ?? {}) as Json) });
  const kinds: Record<string, string> = {
    string: "String",
    integer: "Integer",
    number: "Number",
    boolean: "Boolean",
    null: "Null",
    object: "Object",
  };
  const kind = kinds[String(schema["type"])] ?? "Unknown";
  return typed(kind, kind === "Object" ? { ...rest, properties: {} } : rest);
}

function mapped(schemas: Json): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, checkable(schema as Json)]));
}

/** TypeBox goes by the kind, and what else it wants of each kind is in the document. */
function typed(kind: string, schema: Json): TSchema {
  return { ...schema, [Kind]: kind } as unknown as TSchema;
}
