import type { Connection } from "./connection.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";

const prefix = "/api/v2";

/** Query parameters. Undefined ones are omitted, lists are repeated. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** An error response of the API. */
export class RefusedError extends CommandError {
  readonly status: number;
  /** Seconds until a retry can succeed; null if waiting does not help. */
  readonly retryAfterSeconds: number | null;

  constructor(status: number, body: ErrorBody, retryAfterSeconds: number | null) {
    const problems = (body.details?.errors ?? []).map(problemLine);
    super(
      exitCodes.failed,
      body.message ?? (typeof body.error === "string" ? body.error : `The server responded with ${status}.`),
      {
        // A single problem is already in the message.
        ...(problems.length > 1 && { problems }),
        ...(body.code !== undefined && { code: body.code }),
        ...(status === 401 && {
          hint: "The server does not accept this API key. It may be mistyped, expired, disabled, or from another server.",
        }),
      },
    );
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * The HTTP API for commands. Methods return the `data` of a success and throw a `RefusedError` for an error response.
 */
export class Api {
  readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return this.#answer<T>(path, query, { ...(signal && { signal }) });
  }

  /** Yields all items of a list that is paged with a cursor; `field` contains the items of a page. */
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

  put<T>(path: string, body: Record<string, unknown>, query: Query = {}): Promise<T> {
    const headers = { "content-type": "application/json" };
    return this.#answer<T>(path, query, { method: "PUT", headers, body: JSON.stringify(body) });
  }

  patch<T>(path: string, body: Record<string, unknown>): Promise<T> {
    const headers = { "content-type": "application/json" };
    return this.#answer<T>(path, {}, { method: "PATCH", headers, body: JSON.stringify(body) });
  }

  delete<T>(path: string, query: Query = {}): Promise<T> {
    return this.#answer<T>(path, query, { method: "DELETE" });
  }

  /** Sends a body of any size as it is read. */
  upload<T>(path: string, query: Query, init: RequestInit): Promise<T> {
    return this.#answer<T>(path, query, { ...init, method: "POST" });
  }

  /** Returns the body of a success, unread. */
  async download(path: string, query: Query): Promise<ReadableStream<Uint8Array>> {
    const response = await this.send(path, query, {});
    if (response.body === null) throw new CommandError(exitCodes.failed, "The server sent an empty response.");
    return response.body;
  }

  async #answer<T>(path: string, query: Query, init: RequestInit): Promise<T> {
    const response = await this.send(path, query, init);
    const body = dataOf<T>(await response.json());
    return body.data;
  }

  /** Returns a successful response of any kind. */
  async send(path: string, query: Query, init: RequestInit): Promise<Response> {
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
    // Sent by a proxy in between, or by another program on that port.
    const message = `The server responded with ${response.status}, and not in the format of outreachd. Is it another program?`;
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

/** The server is the same build or follows the documented API, so its responses are not validated. */
function dataOf<T>(body: unknown): { data: T } {
  return body as { data: T };
}
