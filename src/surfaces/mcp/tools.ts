import type { JSONObject } from "@modelcontextprotocol/server";
import { withToolNames } from "./tool-names.ts";
import { toolTable } from "./tool-table.ts";
import type { ToolSpec } from "./tool-spec.ts";

type JsonSchema = JSONObject;

/** Where an argument of a tool is sent in the request. */
export type Place = "path" | "query" | "body" | "header" | "file" | "none";

/** An operation of the API as a tool for models. */
export type Tool = {
  name: string;
  title: string;
  description: string;
  spec: ToolSpec;
  method: string;
  /** With parameters in braces. */
  path: string;
  /** One of them is enough; empty if any key is allowed. */
  permissions: readonly string[];
  actsFor: "user" | "ownKey" | "caller";
  places: ReadonlyMap<string, Place>;
  /** Defaults that differ from those of the API. */
  defaults: Readonly<Record<string, unknown>>;
  inputSchema: InputSchema;
  /** The same tool for global keys, if that is another operation. It acts as the user set for the key. */
  forGlobalKeys: Tool | null;
};

type InputSchema = {
  type: "object";
  properties: Record<string, JsonSchema>;
  required: string[];
  /** A misspelled `dryRun` or filter must not be treated as omitted. */
  additionalProperties: false;
  $defs?: object;
};

/** The part of the OpenAPI document from which tools are generated. */
type Operation = {
  summary: string;
  description?: string;
  parameters?: { name: string; in: Place; required?: boolean; description?: string; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema } | undefined> };
  responses: Record<string, unknown>;
  "x-permission": string[];
  "x-acts-for": Tool["actsFor"];
};
type Document = {
  paths: Record<string, Record<string, Operation> | undefined>;
  components: { schemas: Record<string, JsonSchema> };
};

/** A model reads every item of a list, so it gets fewer at a time than a program. */
const usualLimit = 20;

const dryRunText = "true: nothing happens, and the result shows what would. Pass false only if the user wants it.";

/**
 * Generates the tools from the OpenAPI document of this server, by name. Their schemas are the ones that routes
 * validate with. Throws if the table contains an unknown operation.
 */
export function toolsOf(document: object): Map<string, Tool> {
  const source = document as Document;
  const tools = Object.entries(toolTable).map(([name, spec]) => toolOf(name, spec, source));
  const described = (tool: Tool): Tool => ({ ...tool, description: withToolNames(tool.description, tools) });
  return new Map(
    tools.map((tool) => {
      const forGlobalKeys = tool.forGlobalKeys === null ? null : described(tool.forGlobalKeys);
      return [tool.name, { ...described(tool), forGlobalKeys }];
    }),
  );
}

/** Selects the form of a tool that a key can use. Names are the same for every key and every transport. */
export function toolFor(tool: Tool, isGlobalKey: boolean): Tool {
  return isGlobalKey ? (tool.forGlobalKeys ?? tool) : tool;
}

function toolOf(name: string, spec: ToolSpec, document: Document): Tool {
  const { paths, components } = document;
  const [method = "", path = ""] = spec.operation.split(" ");
  const operation = paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`Operation ${spec.operation} of tool ${name} does not exist`);
  const args = argumentsOf(operation, spec);
  const properties = Object.fromEntries(args.map(({ name: key, schema }) => [key, schema]));
  return {
    name,
    title: operation.summary.replace(" (legacy)", ""),
    description: descriptionOf(operation, spec),
    spec,
    method,
    path,
    permissions: operation["x-permission"],
    actsFor: operation["x-acts-for"],
    places: new Map(args.map(({ name: key, place }) => [key, place])),
    defaults: Object.fromEntries(
      args.filter(({ isOurs }) => isOurs === true).map(({ name: key, schema }) => [key, schema["default"]]),
    ),
    inputSchema: {
      type: "object",
      properties,
      required: args.filter(({ isRequired }) => isRequired).map(({ name: key }) => key),
      additionalProperties: false,
      ...definitionsFor(properties, components.schemas),
    },
    forGlobalKeys: globalToolOf(name, spec, document),
  };
}

function globalToolOf(name: string, { globalOperation, ...spec }: ToolSpec, document: Document): Tool | null {
  if (globalOperation === undefined) return null;
  return { ...toolOf(name, { ...spec, operation: globalOperation }, document), actsFor: "user" };
}

/** `isOurs`: the default is ours, not the API's. */
type Argument = { name: string; place: Place; isRequired: boolean; schema: JsonSchema; isOurs?: boolean };

/** Later arguments replace earlier ones of the same name: `userId` can be in the query and in the body. */
function argumentsOf(operation: Operation, spec: ToolSpec): Argument[] {
  const byName = new Map<string, Argument>();
  const add = (name: string, place: Place, isRequired: boolean, schema: JsonSchema) =>
    byName.set(name, { name, place, isRequired, schema });
  for (const { name, in: place, required = false, description, schema } of operation.parameters ?? [])
    if (place !== "header")
      add(name, place, required, { ...schema, ...(description !== undefined && { description }) });
  for (const [name, isRequired, schema] of fieldsOf(operation.requestBody?.content["application/json"]?.schema))
    add(name, "body", isRequired, schema);
  if (spec.file !== undefined) {
    const formats = Object.keys(spec.file);
    add("content", "file", true, { type: "string", description: "The file itself, as text. Up to 1 MB." });
    if (formats.length > 1) add("format", "none", false, { type: "string", enum: formats, default: formats[0]! });
  }
  if ("412" in operation.responses)
    add("ifMatch", "header", false, {
      type: "string",
      description: "`etag` of the response that you read. The call fails if the object has changed since.",
    });
  if (takesIdempotencyKey(operation) && spec.isIdempotent !== true)
    add("idempotencyKey", "header", false, {
      type: "string",
      maxLength: 255,
      description:
        "A unique name for this call, such as a UUID. If you do not learn its outcome, repeat it with the same key; it is carried out only once.",
    });
  if (spec.dryRun !== undefined)
    byName.set("dryRun", {
      name: "dryRun",
      place: byName.get("dryRun")?.place ?? "none",
      isRequired: false,
      schema: { type: "boolean", default: true, description: dryRunText },
      isOurs: true,
    });
  const limit = byName.get("limit");
  // Without a default, the API returns everything.
  if (limit !== undefined && !(Number(limit.schema["default"]) <= usualLimit))
    byName.set("limit", { ...limit, schema: { ...limit.schema, default: usualLimit }, isOurs: true });
  return [...byName.values()];
}

function takesIdempotencyKey({ parameters = [] }: Operation): boolean {
  return parameters.some(({ name, in: place }) => place === "header" && name.toLowerCase() === "idempotency-key");
}

function fieldsOf(schema: JsonSchema = {}): [string, boolean, JsonSchema][] {
  const required = (schema["required"] ?? []) as string[];
  const properties = (schema["properties"] ?? {}) as Record<string, JsonSchema>;
  return Object.entries(properties).map(([name, property]) => [name, required.includes(name), property]);
}

function descriptionOf({ summary, description = "", "x-permission": permissions }: Operation, spec: ToolSpec): string {
  const withoutPermission = permissions.length > 0 ? description.replace(/\s*Permission: [^\n]*$/, "") : description;
  const dryRun = spec.dryRun === undefined ? "" : "A DRY RUN unless dryRun is false.";
  const title = summary.replace(" (legacy)", "").replace(/([^?])$/, "$1.");
  return [title, withoutPermission, spec.note, dryRun].filter(Boolean).join(" ");
}

/**
 * Collects the named schemas that arguments refer to, including indirectly, and moves them next to the arguments. Texts
 * stay unchanged.
 */
function definitionsFor(
  properties: Record<string, JsonSchema>,
  schemas: Record<string, JsonSchema>,
): { $defs?: object } {
  const definitions: Record<string, JsonSchema> = {};
  const pointer = /"#\/components\/schemas\/(\w+)"/g;
  const collect = (node: object) => {
    for (const [, name = ""] of JSON.stringify(node).matchAll(pointer)) {
      if (name in definitions || schemas[name] === undefined) continue;
      definitions[name] = schemas[name];
      collect(schemas[name]);
    }
  };
  collect(properties);
  if (Object.keys(definitions).length === 0) return {};
  const moved = (node: object) => JSON.parse(JSON.stringify(node).replaceAll(pointer, '"#/$defs/$1"')) as object;
  Object.assign(properties, moved(properties));
  return { $defs: moved(definitions) };
}
