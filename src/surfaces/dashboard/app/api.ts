import type {
  AcceptedInvitation,
  AcceptInput,
  InvitationPreview,
} from "../../../features/workspaces/invitations/model.ts";
import type { SessionView, SignInInput } from "../../../features/workspaces/sessions/model.ts";
import type { SignInMethods } from "../../../features/workspaces/sign-in/model.ts";
import { basePath } from "./base-path.ts";
import { readSimulatedTime } from "./clock.ts";
import { connectionFound, connectionLost } from "./connection.ts";
import { readServerStatus } from "./server-status.ts";
import { sessionRenewed } from "./session.ts";
import { shareRequest, stopSharing } from "./shared-requests.ts";

export type FieldError = { path: string; message: string; index?: number };

export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>;

type RequestOptions = {
  query?: Query;
  /** A Blob or FormData is sent unchanged, everything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** low: nobody waits for it. Other requests that begin at the same time are sent first. */
  priority?: "low";
  /** Longest time to wait for the rate limit. Longer for operations that show progress and can be stopped. */
  patienceSeconds?: number;
};

/** An error response, or no response at all (status 0). The message is written for users. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: FieldError[];
  readonly retryAfterSeconds: number | null;
  readonly requestId: string | null;

  constructor(message: string, facts: Partial<Omit<RequestError, "message">> = {}) {
    super(message);
    this.status = facts.status ?? 0;
    this.code = facts.code ?? "NO_ANSWER";
    this.fields = facts.fields ?? [];
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
    this.requestId = facts.requestId ?? null;
  }
}

/**
 * The HTTP API under /api/v2, authenticated by the session cookie. Returns the `data` of a successful response and
 * throws a `RequestError` otherwise. If the session has ended, a request waits until the user has signed in again, then
 * repeats.
 */
export const api = {
  get: <T>(path: string, options: RequestOptions = {}) =>
    shareRequest(path + queryText(options.query ?? {}), options.signal, (signal) =>
      dataOf<T>("GET", path, { ...options, signal }),
    ),
  post: <T>(path: string, body?: unknown, options: RequestOptions = {}) =>
    dataOf<T>("POST", path, { ...options, body }),
  put: <T>(path: string, body: unknown, options: RequestOptions = {}) => dataOf<T>("PUT", path, { ...options, body }),
  patch: <T>(path: string, body: unknown, options: RequestOptions = {}) =>
    dataOf<T>("PATCH", path, { ...options, body }),
  delete: <T>(path: string, options: RequestOptions = {}) => dataOf<T>("DELETE", path, options),
  /** The whole response, for its headers or its stream. */
  answer: (method: string, path: string, options: RequestOptions = {}) => answer(method, `/api/v2${path}`, options),
};

/** Stops a list that is too long to show. */
const maxPages = 50;

/** Reads all pages of a list and returns its items, which each page has in `field`. */
export async function getAll<T>(path: string, field: string, options: RequestOptions = {}): Promise<T[]> {
  type Page = { nextCursor?: string | null } & Record<string, unknown>;
  const all: T[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < maxPages; pages++) {
    const page: Page = await api.get<Page>(path, { ...options, query: { ...options.query, cursor } });
    all.push(...(page[field] as T[]));
    cursor = page.nextCursor ?? null;
    if (cursor === null) break;
  }
  return all;
}

export const sessionApi = {
  /** Null if no user is signed in. */
  async current(): Promise<SessionView | null> {
    const response = await send("GET", "/app/session", {});
    if (response.status === 401) return null;
    return (await read<{ data: SessionView }>(response)).data;
  },
  /** Ways to sign in besides a key. */
  async methods(): Promise<SignInMethods> {
    return (await read<{ data: SignInMethods }>(await send("GET", "/app/sign-in-methods", {}))).data;
  },
  async mailLink(email: string): Promise<void> {
    await dataOfPage("/app/sign-in-mail", { email });
  },
  async signIn(input: SignInInput): Promise<SessionView> {
    return dataOfPage("/app/session", input);
  },
  /** Goes on in another workspace of the user. */
  async switchTo(workspaceId: string): Promise<SessionView> {
    return dataOfPage("/app/session/switch", { workspaceId });
  },
  /** What an invitation is about; works without a session, as accepting it does. */
  previewInvitation: (token: string): Promise<InvitationPreview> => dataOfPage("/app/invitation/preview", { token }),
  acceptInvitation: (input: AcceptInput): Promise<AcceptedInvitation> => dataOfPage("/app/invitation/accept", input),
  async signOut(): Promise<void> {
    await read(await send("DELETE", "/app/session", {}));
  },
};

async function dataOfPage<T>(path: string, body: unknown): Promise<T> {
  return (await read<{ data: T }>(await send("POST", path, { body }))).data;
}

/** The URL of a download, for a link. */
export function downloadUrl(path: string, query: Query = {}): string {
  return `${basePath}/api/v2${path}${queryText(query)}`;
}

/** The longest wait without showing progress. */
const usualPatienceSeconds = 20;
/** The shortest window of the rate limit. */
export const longPatienceSeconds = 60;

async function dataOf<T>(method: string, path: string, options: RequestOptions): Promise<T> {
  const response = await answer(method, `/api/v2${path}`, options);
  if (method !== "GET") stopSharing();
  const body = await read<{ data?: T }>(response);
  return ("data" in body ? body.data : body) as T;
}

/** Returns the successful response. Waits for a new session and, up to `patienceSeconds`, for the rate limit. */
async function answer(method: string, path: string, options: RequestOptions): Promise<Response> {
  const { patienceSeconds = usualPatienceSeconds, signal } = options;
  for (;;) {
    const response = await send(method, path, options);
    if (response.ok) return response;
    if (response.status === 401) {
      await sessionRenewed();
      signal?.throwIfAborted();
      continue;
    }
    const error = await refusalOf(response);
    const { retryAfterSeconds } = error;
    if (error.status !== 429 || retryAfterSeconds === null || retryAfterSeconds > patienceSeconds) throw error;
    await pause(retryAfterSeconds * 1000, signal);
    signal?.throwIfAborted();
  }
}

async function send(
  method: string,
  path: string,
  { query = {}, body, headers, signal, priority }: RequestOptions,
): Promise<Response> {
  // HTTP/1.1 has six connections: those who ask first, get them.
  if (priority === "low") await new Promise((resolve) => setTimeout(resolve));
  const isFile = body instanceof Blob || body instanceof FormData;
  let response: Response;
  try {
    response = await fetch(basePath + path + queryText(query), {
      method,
      headers: {
        // Not with GET: the browser would not use what the document has preloaded.
        ...(method !== "GET" && { "x-outreachd-page": "1" }),
        ...(body !== undefined && !isFile && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
      ...(priority && { priority }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    connectionLost();
    throw new RequestError("The server is not responding. Your input is still here. Try again in a moment.");
  }
  readSimulatedTime(response);
  readServerStatus(response);
  if (isOfProxy(response)) connectionLost();
  else connectionFound();
  return response;
}

/** Whether a reverse proxy responded for a server that is down: for several nodes with a 503 of its own, which is not JSON. */
function isOfProxy({ status, headers }: Response): boolean {
  if (status === 503) return headers.get("content-type")?.startsWith("application/json") !== true;
  return [502, 504].includes(status);
}

async function read<T>(response: Response): Promise<T> {
  if (!response.ok) throw await refusalOf(response);
  return (await response.json()) as T;
}

type ErrorBody = {
  message?: string;
  error?: unknown;
  code?: string;
  retryAfter?: number;
  details?: { errors?: FieldError[] };
};

async function refusalOf(response: Response): Promise<RequestError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const sentence =
    body.message ??
    (typeof body.error === "string" ? body.error : `The server responded with status ${response.status}.`);
  return new RequestError(sentence, {
    status: response.status,
    code: body.code ?? "UNKNOWN",
    fields: body.details?.errors ?? [],
    retryAfterSeconds: body.retryAfter ?? (Number(response.headers.get("retry-after")) || null),
    requestId: response.headers.get("x-request-id"),
  });
}

function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined || value === null || value === "") return [];
    return [value].flat().map((one) => [name, String(one)]);
  });
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

/** Resolves early when the signal aborts. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}
