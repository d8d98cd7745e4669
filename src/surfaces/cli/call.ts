import type { Command } from "commander";
import { actingUserId } from "./acting-user.ts";
import type { Api, Query } from "./api.ts";
import { present, remark, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag, repeated } from "./flags.ts";
import { readInputText } from "./input-text.ts";
import { nearOperations } from "./operation-hints.ts";
import { reasonOf } from "./reason.ts";
import { withApi, type ConnectionFlags } from "./session.ts";
import { renderTable } from "./table.ts";

type CallFlags = ConnectionFlags & {
  user?: string;
  param?: string[];
  body?: string;
  file?: string;
  contentType?: string;
  list?: boolean;
};

type Operation = {
  id: string;
  method: string;
  /** Below /api/v2, with {name} for parameters. */
  path: string;
  summary: string;
  query: string[];
  actsFor: string | undefined;
  hasBody: boolean;
};

const prefix = "/api/v2";

export function addApiCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("api")
    .description("Call any operation of the API, by its ID or by method and path. Prints the response.")
    .argument("[OPERATION]", "ID of the operation, as in the API reference, or a method")
    .argument("[PATH]", "Path below /api/v2, after a method")
    .option("--param <NAME=VALUE>", "Parameter of the path or the query. Repeat it for several.", repeated)
    .option("--body <JSON>", "Body as JSON; @FILE reads it from a file, @- from standard input.")
    .option("--file <FILE>", "File to send as the body; - is standard input.")
    .option("--content-type <TYPE>", "Content type of --file.", "application/octet-stream")
    .option("--list", "List the operations, with their parameters.");
  addConnectionFlags(addUserFlag(command)).action(
    (first: string | undefined, path: string | undefined, flags: CallFlags) =>
      withApi(context, flags, async (api) => {
        const operations = await operationsOf(api);
        if (flags.list || first === undefined) return listOperations(operations, context);
        await call(api, operationFor(operations, first, path), flags, context);
      }),
  );
}

async function call(api: Api, operation: Operation, flags: CallFlags, context: CommandContext): Promise<void> {
  const parameters = parametersIn(flags.param ?? []);
  const { path, rest } = filled(operation.path, parameters, operation);
  const userId =
    operation.actsFor === "user" && rest["userId"] === undefined ? await actingUser(api, flags, context) : undefined;
  const query: Query = { ...rest, ...(userId !== undefined && { userId }) };
  const { body, headers } = await bodyIn(flags, operation);
  const response = await api.send(path, query, {
    method: operation.method,
    headers,
    ...(body !== undefined && { body }),
  });
  if (response.headers.get("content-type")?.startsWith("application/json")) {
    const document: unknown = await response.json();
    return present(context, document, JSON.stringify(document, null, 2));
  }
  for await (const chunk of response.body ?? []) await context.terminal.out(chunk);
}

function actingUser(api: Api, { user }: CallFlags, context: CommandContext): Promise<string | undefined> {
  return actingUserId(api, user, (text) => remark(context, text));
}

/** Query parameters with the same name become a list. */
function parametersIn(given: readonly string[]): Record<string, string[]> {
  const parameters: Record<string, string[]> = {};
  for (const each of given) {
    const [, name, value] = /^([\w-]+)=(.*)$/s.exec(each) ?? [];
    if (name === undefined || value === undefined)
      throw new CommandError(exitCodes.usage, `Expected --param NAME=VALUE, got "${each.slice(0, 80)}".`);
    (parameters[name] ??= []).push(value);
  }
  return parameters;
}

/** The path with its parameters; the rest belongs to the query. */
function filled(template: string, parameters: Record<string, string[]>, { id }: Operation) {
  const rest: Record<string, string[]> = { ...parameters };
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]?.[0];
    if (value === undefined)
      throw new CommandError(exitCodes.usage, `${id} needs --param ${name}=VALUE.`, {
        hint: `Its path is ${template}.`,
      });
    delete rest[name];
    return encodeURIComponent(value);
  });
  return { path, rest };
}

async function bodyIn(
  { body: data, file, contentType = "" }: CallFlags,
  { id, hasBody }: Operation,
): Promise<{ body?: string | ReadableStream<Uint8Array>; headers: Record<string, string> }> {
  if (data !== undefined && file !== undefined)
    throw new CommandError(exitCodes.usage, "Send either --body or --file, not both.");
  if (file !== undefined) return { body: streamOf(file), headers: { "content-type": contentType } };
  if (data === undefined) return { headers: {} };
  if (!hasBody) throw new CommandError(exitCodes.usage, `${id} takes no body. Remove --body.`);
  const text = data.startsWith("@") ? await readInputText(data.slice(1)) : data;
  try {
    JSON.parse(text);
  } catch (error) {
    throw new CommandError(exitCodes.usage, `--body is not JSON: ${reasonOf(error)}`);
  }
  return { body: text, headers: { "content-type": "application/json" } };
}

function streamOf(path: string): ReadableStream<Uint8Array> {
  return (path === "-" ? Bun.stdin : Bun.file(path)).stream();
}

function operationFor(operations: readonly Operation[], first: string, path: string | undefined): Operation {
  if (path === undefined) {
    const found = operations.find(({ id }) => id === first);
    if (found !== undefined) return found;
    const near = nearOperations(
      first,
      operations.map(({ id }) => id),
    );
    const question = near.length === 0 ? "" : `Did you mean ${near.join(" or ")}? `;
    throw new CommandError(exitCodes.usage, `Unknown operation ${first}.`, {
      hint: `${question}\`outreachd api --list\` shows all.`,
    });
  }
  const method = first.toUpperCase();
  const plain = path.startsWith(prefix) ? path.slice(prefix.length) : path;
  const found = operations
    .filter((each) => each.method === method && patternOf(each.path).test(plain))
    .toSorted((one, other) => one.path.split("{").length - other.path.split("{").length)[0];
  if (found !== undefined) return { ...found, path: plain };
  throw new CommandError(exitCodes.usage, `No operation ${method} ${path}.`, {
    hint: "`outreachd api --list` shows all.",
  });
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/[.+*?^$()|[\]\\]/g, "\\$&").replaceAll(/\{\w+\}/g, "[^/?]+")}$`);
}

type Document = {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId?: string;
        summary?: string;
        parameters?: { name: string; in: string }[];
        requestBody?: object;
        "x-acts-for"?: string;
      }
    >
  >;
};

/** As the server describes itself, so that the command knows what newer servers can do. */
async function operationsOf(api: Api): Promise<Operation[]> {
  const response = await api.connection.fetch("/openapi.json");
  const { paths } = (await response.json()) as Document;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(
      ([method, { operationId: id, summary = "", parameters = [], requestBody, ...rest }]) => {
        if (id === undefined || !path.startsWith(`${prefix}/`)) return [];
        const query = parameters.filter((each) => each.in === "query").map(({ name }) => name);
        const actsFor = rest["x-acts-for"];
        return [
          {
            id,
            method: method.toUpperCase(),
            path: path.slice(prefix.length),
            summary,
            query,
            actsFor,
            hasBody: requestBody !== undefined,
          },
        ];
      },
    ),
  );
}

function listOperations(operations: readonly Operation[], context: CommandContext): Promise<void> {
  const rows = operations.map(({ id, method, path, summary }) => [id, method, path, summary]);
  const shown = operations.map(({ id, method, path, summary, query }) => ({ id, method, path, summary, query }));
  return present(context, { operations: shown }, renderTable(["OPERATION", "METHOD", "PATH", "WHAT IT DOES"], rows));
}
