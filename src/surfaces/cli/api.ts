import type { Connection } from "./connection.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";

const prefix = "/api/v2";

/** Parameters behind the "?"; an absent one is left out, a list is repeated. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** A refusal of the API. */
export class RefusedError extends CommandError {
  readonly status: number;
  /** Seconds until the same request can succeed; null when time does not help. */
  readonly retryAfterSeconds: number | null;

  constructor(status: number, body: ErrorBody, retryAfterSeconds: number | null) {
    const problems = (body.details?.errors ?? []).map(problemLine);
    super(
      exitCodes.failed,
      body.message ?? (typeof body.error === "string" ? body.error : `The server answered ${status}.`),
      {
        // One problem is already the message.
        ...(problems.length > 1 && { problems }),
        ...(body.code !== undefined && { code: body.code }),
        ...(status === 401 && {
          hint: "The API key is not valid here. It may be mistyped, expired, turned off or of another server.",
        }),
      },
    );
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The HTTP API as the commands use it: answers are the `data` of a success, refusals are thrown as `RefusedError`. */
export class Api {
  readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return this.#answer<T>(path, query, { ...(signal && { signal }) });
  }

  /** All items of a list that pages with a cursor, page after page; `field` has them. */
  async getAll<T>(path: string, field: string, query: Query = {}): Promise<T[]> {
    type Page = { nextCursor?: string | null } & Record<string, unknown>;
    const all: T[] = [];
    let cursor: string | undefined;
    do {
      const page: Page = await this.get<Page>(path, { ...query, cursor });
      all.push(...(page[field] as T[]));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return all;
  }

  post<T>(path: string, body: Record<string, unknown>): Promise<T> {
    const headers = { "content-type": "application/json" };
    return this.#answer<T>(path, {}, { method: "POST", headers, body: JSON.stringify(body) });
  }

  put<T>(path: string, body: Record<string, unknown>): Promise<T> {
    const headers = { "content-type": "application/json" };
    return this.#answer<T>(path, {}, { method: "PUT", headers, body: JSON.stringify(body) });
  }

  delete<T>(path: string): Promise<T> {
    return this.#answer<T>(path, {}, { method: "DELETE" });
  }

  /** Sends a body of any size as it is read. */
  upload<T>(path: string, query: Query, init: RequestInit): Promise<T> {
    return this.#answer<T>(path, query, { ...init, method: "POST" });
  }

  /** Answers the body of a success, not yet read. */
  async download(path: string, query: Query): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#send(path, query, {});
    if (response.body === null) throw new CommandError(exitCodes.failed, "The server sent an empty answer.");
    return response.body;
  }

  async #answer<T>(path: string, query: Query, init: RequestInit): Promise<T> {
    const response = await this.#send(path, query, init);
    const body = dataOf<T>(await response.json());
    return body.data;
  }

  async #send(path: string, query: Query, init: RequestInit): Promise<Response> {
    const response = await this.connection.fetch(prefix + path + queryText(query), init);
    if (!response.ok) throw await refusal(response);
    return response;
  }
}

type ErrorBody = {
  error?: unknown;
  code?: string;
  message?: string;
  details?: { errors?: { path?: string; message: string; index?: number }[] };
};

async function refusal(response: Response): Promise<RefusedError> {
  const after = Number(response.headers.get("retry-after") ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(after) ? after : null;
  const text = await response.text();
  try {
    return new RefusedError(response.status, JSON.parse(text) as ErrorBody, retryAfterSeconds);
  } catch {
    // A proxy in between, or another program on that port.
    const message = `The server answered ${response.status} without an explanation that outreachd gives.`;
    return new RefusedError(response.status, { message }, retryAfterSeconds);
  }
}

function problemLine({ path, message, index }: { path?: string; message: string; index?: number }): string {
  const item = index === undefined ? "" : `item ${index}: `;
  return `${item}${path ? `${path}: ` : ""}${message}`;
}

function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined) parameters.append(name, String(item));
  return parameters.size === 0 ? "" : `?${parameters}`;
}

/** The server is of the same build or keeps to the documented API, so its answers are taken at their word. */
function dataOf<T>(body: unknown): { data: T } {
  return body as { data: T };
}
