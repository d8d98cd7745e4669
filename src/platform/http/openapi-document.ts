import { toOpenAPISchema } from "@elysiajs/openapi";
import { Type, type TSchema } from "@sinclair/typebox";
import type { AnyElysia } from "elysia";
import { errorCatalogue, type ErrorCode } from "../base/errors.ts";
import { version } from "../base/version.ts";
import { replayedHeader } from "./idempotency.ts";
import { idempotencyHeader } from "./keyed-request.ts";
import { ErrorBody, WrongKeyKindBody } from "./error-body.ts";
import type { Input } from "./input.ts";
import { withEnums } from "./openapi-enums.ts";
import { describedParameter } from "./openapi-parameters.ts";
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
  const schemaOf = (input: unknown) => withEnums((input as Input<TSchema>).schema);
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
      contact: { name: "The outreachd authors" },
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
          description: "The API key, as in x-api-key. If both are sent, x-api-key is used.",
        },
      },
    },
  };
}

/** The parts of an Elysia app that the generator reads. */
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
  Health: "Check the service and your API key.",
  Keys: "API keys and their permissions.",
  Users: "People who use the service. For admins of the installation.",
  Sessions: "Browsers that are signed in to the dashboard.",
  Workspaces: "What your team shares, its members, and their roles.",
  Leads: "Create, find, import, and export leads: the people you want to reach.",
  Suppression: "The do-not-contact list: people who must not be stored or contacted.",
  Enrichment: "Complete the data of leads from many providers.",
  Credits: "Balance, ledger, and budgets for enrichment and searches.",
  Prospecting: "Find people who may become leads, in your own directory and in live sources.",
  Jobs: "Background work: what is running, what is waiting and why, and the results.",
  Network: "Actions on the professional network, at the pace of a careful person.",
  "Network accounts": "Accounts that perform actions: their hours, caps, pace, usage, and plans.",
  Inbox: "Conversations with people: their messages, replies, and who takes care of what.",
  Campaigns: "Sequences of actions for leads, with delays and conditions. A reply stops them.",
  Notifications: "What a member should know, and what they have read of it.",
  "Network work": "For people and workers who perform actions: task lists and claims.",
  Events: "Event log and live stream.",
  Webhooks: "Your endpoints that receive events.",
  Operations: "Maintenance mode, the clock of the server, and its nodes. For admins.",
  Backups: "Full backups while the server is running. For admins.",
  Voices: "Voice clones, trained on recordings.",
  Audit: "Who did what, when, and from where.",
  Privacy: "Export or erase the data of a person.",
  Simulation: "A server without effects outside, with a clock that you control.",
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
  // A body that can be too large can also arrive too slowly.
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

/** Adds errors, parameters, and responses that follow from the form of a route, and its permission as text. */
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
          parameters: [
            ...parameters.map(describedParameter),
            ...actingParameters(operation),
            ...(method === "post" ? [idempotencyKey] : []),
          ],
          responses: responsesOf(method, operation),
        },
      ];
    }),
  );
}

const warnings = Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
  description: "Unknown fields and query parameters that were ignored. Absent if there are none.",
});

/** Routes of the specification report unknown fields; all others refuse them. */
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

/** Adds the name of the operation, for generated clients. */
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
  description: "User to act for. Required with a global key, here or in the body.",
  schema: { type: "string" },
};

function actingParameters({ "x-acts-for": actsFor, parameters = [] }: Operation): { name: string }[] {
  return actsFor === "user" && !parameters.some(({ name }) => name === "userId") ? [actingUserId] : [];
}

const idempotencyKey = {
  name: idempotencyHeader,
  in: "header",
  description:
    "1 to 255 printable ASCII characters that identify this request, such as a UUID; in double quotes if they include a comma. A request that is repeated with the same key and body is executed once and returns the first response, with the header Idempotent-Replayed. The key is committed together with the changes of the request, so it can also be repeated after a crash. Only requests that take several transactions (direct enrichment, live sources, long lists, the clock of a simulation) may have been interrupted; they return 409.",
  schema: { type: "string", maxLength: 257 },
};
const replayed = {
  [replayedHeader]: {
    description: "true if this is the response to an earlier request with this Idempotency-Key.",
    schema: { type: "string" },
  },
};
const idempotencyErrors = ["REQUEST_IN_PROGRESS", "REQUEST_INTERRUPTED", "CONFLICT", "IDEMPOTENCY_KEY_REUSED"] as const;

function responsesOf(method: string, operation: Operation): Record<string, object> {
  const own: Record<string, object> = { ...possibleResponses(operation), ...impliedResponses(method, operation) };
  if (method !== "post") return own;
  // The reasons of the route for a 409 come before those of the key.
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

/** A route that requires no key refuses no request, except one that is too large for any route. */
function possibleResponses({ "x-acts-for": actsFor, responses }: Operation): Record<string, object> {
  if (actsFor !== undefined) return responses;
  const others = Object.entries(responses).filter(([status]) => !status.startsWith("4"));
  return { ...Object.fromEntries(others), 431: { description: "The URL and the headers exceed 16 KB. No body." } };
}

/** Responses that follow from the acting user, the body, or the ETag of a route. */
function impliedResponses(
  method: string,
  { "x-acts-for": actsFor, requestBody, responses }: Operation,
): Record<number, object> {
  const readsVersion = method === "get" && JSON.stringify(responses["200"] ?? {}).includes('"ETag"');
  const implied: Record<number, object> = {};
  if (readsVersion) implied[304] = { description: "Unchanged since the version in If-None-Match." };
  // A body is read, and can be refused, even if the route does not use it.
  if (requestBody || (method !== "get" && actsFor !== undefined)) Object.assign(implied, refusals(bodyErrors));
  if (actsFor === "user") Object.assign(implied, refusals(["NOT_FOUND"]));
  if (actsFor === "ownKey") implied[400] = ownKeyRefusal;
  return implied;
}

const ownKeyRefusal = {
  description: "VALIDATION_ERROR or, for a global key, the route to use instead.",
  content: { "application/json": { schema: Type.Union([ErrorBody, WrongKeyKindBody]) } },
};

/** Moves every schema with an `$id` to the components and replaces it with a reference. */
function hoist(node: unknown, components: Record<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((item) => hoist(item, components));
  if (typeof node !== "object" || node === null) return node;
  const { $id, ...fields } = node as Record<string, unknown>;
  const reference = { $ref: `#/components/schemas/${String($id)}` };
  // The schemas of errors are in every response: copying each of them again took most of the time.
  if (typeof $id === "string" && $id in components) return reference;
  const copy = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, hoist(value, components)]));
  if (typeof $id !== "string") return copy;
  components[$id] = copy;
  return reference;
}

const introduction = `Store, import, and export leads, and schedule actions on a professional network, which are performed at a careful pace.

Send your API key in the \`x-api-key\` header, or as a Bearer token in \`Authorization\`. Successful responses have \`success: true\`; errors have a \`code\` for programs and a \`message\` for people. Each response shows the remaining rate limits (\`RateLimit\`, \`X-RateLimit-*\`; \`RateLimit-Policy: "unlimited"\` without limits) and has an \`x-request-id\`, which also appears in the log of the server. A request whose URL and headers exceed 16 KB is refused with 431 and no body.

Any POST can have an \`Idempotency-Key\`: if it is repeated with the same key and body within a day, it is executed once, and the first response is returned again with \`Idempotent-Replayed: true\`.`;
