import { toOpenAPISchema } from "@elysiajs/openapi";
import { Type, type TSchema } from "@sinclair/typebox";
import type { AnyElysia } from "elysia";
import { errorCatalogue, type ErrorCode } from "../base/errors.ts";
import { version } from "../base/version.ts";
import { replayedHeader } from "./idempotency.ts";
import { idempotencyHeader } from "./keyed-request.ts";
import { ErrorBody, WrongKeyKindBody } from "./error-body.ts";
import type { Input } from "./input.ts";
import { operationIds } from "./operation-ids.ts";
import type { Route } from "./route.ts";
import { isSpecified } from "./specified-routes.ts";

type Operation = {
  responses: Record<string, object>;
  "x-errors"?: readonly ErrorCode[];
  parameters?: { name: string }[];
  requestBody?: object;
  description?: string;
  "x-permission"?: string[];
  "x-acts-for"?: string;
};
type Document = { paths: Record<string, Record<string, Operation>>; components?: object };

/** The OpenAPI 3.1 document of all documented routes. */
export function openApiDocument(routes: readonly Route[], serverUrl: string): object {
  const schemaOf = (input: unknown) => (input as Input<TSchema>).schema;
  const mapJsonSchema = { typebox: schemaOf } as NonNullable<Parameters<typeof toOpenAPISchema>[3]>;
  const { paths } = toOpenAPISchema(appOf(routes), undefined, undefined, mapJsonSchema) as unknown as Document;
  const components: Record<string, unknown> = {};
  const document = {
    openapi: "3.1.0",
    info: {
      title: "outreachd",
      version,
      summary: "Outreach automation on your own machine.",
      description: introduction,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [path, named(path, withWarnings(path, completed(item)))]),
    ),
  };
  const hoisted = hoist(document, components) as typeof document;
  return {
    ...hoisted,
    components: {
      schemas: components,
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "The API key, as in x-api-key. If both are sent, x-api-key counts.",
        },
      },
    },
  };
}

/** What the generator reads of an Elysia app. */
function appOf(routes: readonly Route[]): AnyElysia {
  const documented = routes.flatMap(({ method, path, docs, access, params, query, body }) =>
    docs === null
      ? []
      : [
          {
            method,
            path,
            hooks: { params, query, body, parse: [{ fn: "json" }], detail: { ...docs, ...securityOf(access) } },
          },
        ],
  );
  const app = { getGlobalRoutes: () => documented, getGlobalDefinitions: () => ({ type: {} }) };
  return app as unknown as AnyElysia;
}

/** `x-permission` and `x-acts-for` are read by tests and by the MCP tools. */
function securityOf(access: Route["access"]) {
  if (access === null) return {};
  const { permission, actsFor } = access;
  return {
    security: [{ apiKey: [] }, { bearer: [] }] as Record<string, string[]>[],
    "x-permission": permission === null ? [] : [permission].flat(),
    "x-acts-for": actsFor,
  };
}

export const tags = {
  Health: "Whether the service works and a key is valid.",
  Keys: "API keys: who may do what.",
  Users: "The people of the team.",
  Leads: "People to reach: store, find, import, export.",
  Suppression: "The do-not-contact list: whom nobody may store or contact.",
  Enrichment: "Find out more about leads, from many providers.",
  Credits: "What enrichment and searches may cost: balance, ledger, budgets of keys.",
  Prospecting: "People who may become leads: your own directory of them, and live sources.",
  Jobs: "Work in the background: what runs, what waits and why, how it ended.",
  Network: "Actions on the professional network, paced like a careful person.",
  "Network accounts": "The accounts that act: their hours, caps and pace, what they have used, and what they will do.",
  Campaigns: "Sequences of actions for leads: steps with waits and conditions, stopped by a reply.",
  "Network work": "For those who carry actions out: people with a task list, and workers of your own.",
  Events: "What happened: a log to read, and a live stream of it.",
  Webhooks: "Your own endpoints, to which events are posted.",
  Operations: "Maintenance mode and the server's clock. For admins.",
  Backups: "Copies of everything, made while the server works. For admins.",
  Voices: "Voices that speak like the recordings they were made of.",
  Audit: "Who did what, when and from where.",
  Privacy: "What is known of one person: hand it out, or erase it.",
  Simulation: "A server that only plays: its clock moves when you say so.",
} as const;

const commonErrors = [
  "VALIDATION_ERROR",
  "UNAUTHORIZED",
  "PERMISSION_DENIED",
  "RATE_LIMIT_EXCEEDED",
  "SERVICE_UNAVAILABLE",
] as const;
const bodyErrors = ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] as const;

function refusals(codes: readonly ErrorCode[]): Record<number, object> {
  // What can be too large can arrive too slowly as well.
  const all = codes.includes("PAYLOAD_TOO_LARGE") ? [...codes, "REQUEST_TIMEOUT" as const] : codes;
  const byStatus = Map.groupBy(all, (code) => errorCatalogue[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `${code}: ${errorCatalogue[code].message}`).join("\n\n"),
        content: { "application/json": { schema: ErrorBody } },
      },
    ]),
  );
}

/** Adds its refusals, what follows from a route's shape, and the permission in words. */
function completed(item: Record<string, Operation>): Record<string, Operation> {
  return Object.fromEntries(
    Object.entries(item).map(([method, { "x-errors": errors = [], ...described }]) => {
      const responses = { ...described.responses, ...refusals([...commonErrors, ...errors]) };
      const operation = { ...described, responses };
      const { "x-permission": permission = [], description = "", parameters = [], ...rest } = operation;
      const needs = permission.length > 0 ? `Permission: ${permission.map((name) => `\`${name}\``).join(" or ")}.` : "";
      return [
        method,
        {
          ...rest,
          "x-permission": permission,
          description: [description, needs].filter(Boolean).join("\n\n"),
          parameters: [...parameters, ...actingParameters(operation), ...(method === "post" ? [idempotencyKey] : [])],
          responses: responsesOf(method, operation),
        },
      ];
    }),
  );
}

const warnings = Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
  description: "Fields and query parameters that this route does not know and ignored. Absent when there are none.",
});

/** Routes of the specification report what they ignore; all others refuse it. */
function withWarnings(path: string, item: Record<string, Operation>): Record<string, Operation> {
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => [
      method,
      isSpecified(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ":$1"))
        ? { ...operation, responses: mapSuccess(operation.responses) }
        : operation,
    ]),
  );
}

function mapSuccess(responses: Record<string, object>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const content = (response as { content?: Record<string, { schema: TSchema }> }).content?.["application/json"];
      if (!status.startsWith("2") || content?.schema["properties"] === undefined) return [status, response];
      const { $id: _shared, ...schema } = content.schema;
      const properties = { ...(schema["properties"] as object), warnings };
      return [status, { ...response, content: { "application/json": { schema: { ...schema, properties } } } }];
    }),
  );
}

/** A name for clients that are generated from the document. */
function named(path: string, item: Record<string, Operation>): Record<string, Operation> {
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => {
      const operationId = operationIds[`${method.toUpperCase()} ${path}`];
      return [method, { ...operation, ...(operationId !== undefined && { operationId }) }];
    }),
  );
}

const actingUserId = {
  name: "userId",
  in: "query",
  description: "Needed with a global key, unless the body has it: whom to act for.",
  schema: { type: "string" },
};

function actingParameters({ "x-acts-for": actsFor, parameters = [] }: Operation): { name: string }[] {
  return actsFor === "user" && !parameters.some(({ name }) => name === "userId") ? [actingUserId] : [];
}

const idempotencyKey = {
  name: idempotencyHeader,
  in: "header",
  description:
    "1 to 255 printable ASCII characters that name this request, such as a UUID; in double quotes if a comma is among them. Send it again with the same key and the same body, and it is carried out once: you get the first answer, marked by Idempotent-Replayed. The key is committed with what the request does, so that it can be sent again after a crash, too; only what takes several transactions (direct enrichment, live sources, long lists, the clock of a simulation) may have been interrupted, which 409 says.",
  schema: { type: "string", maxLength: 257 },
};
const replayed = {
  [replayedHeader]: {
    description: "true: the answer to an earlier request with this Idempotency-Key.",
    schema: { type: "string" },
  },
};
const idempotencyErrors = ["REQUEST_IN_PROGRESS", "REQUEST_INTERRUPTED", "CONFLICT", "IDEMPOTENCY_KEY_REUSED"] as const;

function responsesOf(method: string, operation: Operation): Record<string, object> {
  const own: Record<string, object> = { ...possibleResponses(operation), ...impliedResponses(method, operation) };
  if (method !== "post") return own;
  // A route's own reasons for a 409 stand before those of the key.
  for (const [status, refusal] of Object.entries(refusals(idempotencyErrors)))
    own[status] = merged(own[status], refusal);
  return Object.fromEntries(
    Object.entries(own).map(([status, response]) => [
      status,
      status.startsWith("2") && "headers" in response
        ? { ...response, headers: { ...(response.headers as object), ...replayed } }
        : response,
    ]),
  );
}

function merged(own: object | undefined, added: object): object {
  if (own === undefined || !("description" in own) || !("description" in added)) return own ?? added;
  const texts = new Set(`${String(own.description)}\n\n${String(added.description)}`.split("\n\n"));
  return { ...own, description: [...texts].join("\n\n") };
}

/** Where no key is asked for, nobody is refused. */
function possibleResponses({ "x-acts-for": actsFor, responses }: Operation): Record<string, object> {
  return actsFor === undefined
    ? Object.fromEntries(Object.entries(responses).filter(([status]) => !status.startsWith("4")))
    : responses;
}

/** What a route can answer because of whom it acts for, its body, or the ETag of what it reads. */
function impliedResponses(
  method: string,
  { "x-acts-for": actsFor, requestBody, responses }: Operation,
): Record<number, object> {
  const readsVersion = method === "get" && JSON.stringify(responses["200"] ?? {}).includes('"ETag"');
  const implied: Record<number, object> = {};
  if (readsVersion) implied[304] = { description: "Unchanged since the version in If-None-Match." };
  // A body that a route does not take is still read, and refused if it can't be.
  if (requestBody || (method !== "get" && actsFor !== undefined)) Object.assign(implied, refusals(bodyErrors));
  if (actsFor === "user") Object.assign(implied, refusals(["NOT_FOUND"]));
  if (actsFor === "ownKey") implied[400] = ownKeyRefusal;
  return implied;
}

const ownKeyRefusal = {
  description: "VALIDATION_ERROR, or, for a global key, the route to use in its place.",
  content: { "application/json": { schema: Type.Union([ErrorBody, WrongKeyKindBody]) } },
};

/** Moves every schema with an `$id` to the components and leaves a reference, so that it stands there once. */
function hoist(node: unknown, components: Record<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((item) => hoist(item, components));
  if (typeof node !== "object" || node === null) return node;
  const { $id, ...fields } = node as Record<string, unknown>;
  const copy = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, hoist(value, components)]));
  if (typeof $id !== "string") return copy;
  components[$id] ??= copy;
  return { $ref: `#/components/schemas/${$id}` };
}

const introduction = `Store leads, import and export them, and schedule actions on a professional network that are carried out at a careful pace.

Send your API key in the \`x-api-key\` header, or as a Bearer token in \`Authorization\`. Success answers carry \`success: true\`; every refusal has a \`code\` for programs and a \`message\` for people. Each response shows what is left of the rate limits (\`RateLimit\`, \`X-RateLimit-*\`; \`RateLimit-Policy: "unlimited"\` where none is set) and carries an \`x-request-id\`, which the server's log repeats. A request whose address and headers exceed 16 KB is refused with 431 and no body.

Any POST may carry an \`Idempotency-Key\`: repeated with the same key and body within a day, it is carried out once, and its first answer comes again with \`Idempotent-Replayed: true\`.`;
