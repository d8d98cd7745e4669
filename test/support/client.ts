import type { ApiDocument } from "./openapi.ts";

/** What a client can see of an answer. `data` is the body's, `code`, `message` and `details` are those of a refusal. */
export type Answer<T = unknown> = {
  status: number;
  headers: Headers;
  /** JSON as a value, anything else as a text; "" when there is none. */
  body: unknown;
  data: T;
  code: string | undefined;
  message: string | undefined;
  details: Record<string, unknown> | undefined;
};

export type SendOptions = {
  /** Texts, bytes and streams go as they are, everything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  query?: Record<string, string | number | boolean | readonly string[] | undefined>;
  signal?: AbortSignal;
};

export type ClientSetup = {
  url: string;
  document: ApiDocument;
  /** Whether rate limits are set. */
  hasLimits: boolean;
};

/**
 * Sends requests with a key, and checks every answer against the OpenAPI document and the rules that hold for all of
 * them: it throws for a status or a field that is not documented, and for a header that is missing.
 */
export class Client {
  readonly key: string | null;
  /** The user that the key is of; "" when that is nobody. */
  readonly userId: string;
  readonly #setup: ClientSetup;

  constructor(setup: ClientSetup, key: string | null, userId = "") {
    this.#setup = setup;
    this.key = key;
    this.userId = userId;
  }

  get<T>(path: string, options?: SendOptions): Promise<Answer<T>> {
    return this.send("GET", path, options);
  }

  post<T>(path: string, body?: unknown, options?: SendOptions): Promise<Answer<T>> {
    return this.send("POST", path, { ...options, body });
  }

  put<T>(path: string, body?: unknown, options?: SendOptions): Promise<Answer<T>> {
    return this.send("PUT", path, { ...options, body });
  }

  patch<T>(path: string, body?: unknown, options?: SendOptions): Promise<Answer<T>> {
    return this.send("PATCH", path, { ...options, body });
  }

  delete<T>(path: string, options?: SendOptions): Promise<Answer<T>> {
    return this.send("DELETE", path, options);
  }

  async send<T>(
    method: string,
    path: string,
    { body, headers = {}, query = {}, signal }: SendOptions = {},
  ): Promise<Answer<T>> {
    const raw = rawBody(body);
    const response = await fetch(this.#setup.url + path + queryText(query), {
      method,
      redirect: "manual",
      headers: {
        ...(this.key !== null && { "x-api-key": this.key }),
        ...(body !== undefined && raw === null && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: raw ?? JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const answer = answerOf<T>(response, await textOf(response));
    const problems = this.#problems(method, path.split("?")[0] ?? path, answer);
    if (problems.length > 0) throw new Error(`${method} ${path} answered ${answer.status}:\n${problems.join("\n")}`);
    return answer;
  }

  #problems(method: string, path: string, answer: Answer): string[] {
    const { document, hasLimits } = this.#setup;
    const operation = document.find(method, path);
    const body =
      operation === null || answer.status === 304 || method === "HEAD"
        ? unlistedProblems(document, answer)
        : document.problems(operation, answer.status, answer.headers.get("content-type") ?? "", answer.body);
    const isLimited = hasLimits && !this.key?.startsWith("oal_");
    const limits = isLimited ? wantedLimitHeaders : unlimitedHeaders;
    // A preflight is answered by what serves pages, before anybody is counted.
    const isPreflight = method === "OPTIONS" && answer.code !== "METHOD_NOT_ALLOWED" && answer.code !== "UNAUTHORIZED";
    if (!path.startsWith("/api/v2") || isPreflight) return [...body, ...headerProblems(answer, {})];
    return [...body, ...formProblems(answer.body), ...headerProblems(answer, limits)];
  }
}

function rawBody(body: unknown): BodyInit | null {
  if (typeof body === "string" || body instanceof ReadableStream || body instanceof FormData) return body;
  return body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : null; // tests share no memory
}

function queryText(query: NonNullable<SendOptions["query"]>): string {
  const sent = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = sent.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

/** A response as an answer, for requests that no client sends. */
export function answerOf<T>({ status, headers }: Response, text: string): Answer<T> {
  const isJson = headers.get("content-type")?.startsWith("application/json") ?? false;
  const body: unknown = isJson && text !== "" ? JSON.parse(text) : text;
  return {
    code: undefined,
    message: undefined,
    details: undefined,
    ...(isJson && partsOf<T>(body)),
    status,
    headers,
    body,
  } as Answer<T>;
}

/** The body was checked against the document, which is where the types of the tests come from, too. */
function partsOf<T>(body: unknown): Partial<Answer<T>> {
  const { data, code, message, details } = body as Partial<Answer<T>>;
  return { ...(data !== undefined && { data }), code, message, details };
}

/** Answers where no operation was meant, or without a body: refusals have the one shape that refusals have. */
function unlistedProblems(document: ApiDocument, { status, body }: Answer): string[] {
  if (body === "") return [];
  return status >= 400 ? document.componentProblems("Error", body) : [];
}

const wantedHeaders: Record<string, RegExp> = {
  "x-request-id": /^[\w.:-]{1,128}$/,
  "x-content-type-options": /^nosniff$/,
  "x-frame-options": /^DENY$/,
  "referrer-policy": /^no-referrer$/,
  "content-security-policy": /default-src 'none'/,
  "cache-control": /./,
};
const unlimitedHeaders: Record<string, RegExp> = { "ratelimit-policy": /^"unlimited"$/ };
const wantedLimitHeaders: Record<string, RegExp> = {
  "ratelimit-policy": /^"minute";q=\d+;w=60|^"hour";q=\d+;w=3600|^"day";q=\d+;w=86400/,
  ratelimit: /^"\w+";r=\d+;t=\d+/,
  "x-ratelimit-limit": /^\d+$/,
  "x-ratelimit-remaining": /^\d+$/,
  "x-ratelimit-reset": /^\d{10}$/,
};

const relativeUrls = /"(?:documentation|upgradeUrl|upgrade_url)":"(?!https?:\/\/)[^"]*"/g;
const otherInstants = /"\w+":"\d{4}-\d\d-\d\dT\d\d:\d\d(?!:\d\d\.\d{3}Z")[^"]*"/g;

/** What holds for every JSON body: URLs for people are absolute, and instants are in UTC with milliseconds. */
function formProblems(body: unknown): string[] {
  if (typeof body !== "object") return [];
  const text = JSON.stringify(body);
  return [
    ...[...text.matchAll(relativeUrls)].map(([field]) => `not an absolute URL: ${field}`),
    ...[...text.matchAll(otherInstants)].map(([field]) => `not an instant in UTC with milliseconds: ${field}`),
  ];
}

function headerProblems({ status, headers, body }: Answer, limits: Record<string, RegExp>): string[] {
  const wanted = {
    ...wantedHeaders,
    ...limits,
    ...(status === 401 && { "www-authenticate": /^Bearer realm="outreachd"(, error="invalid_token")?$/ }),
  };
  const problems = Object.entries(wanted).flatMap(([name, pattern]) =>
    pattern.test(headers.get(name) ?? "") ? [] : [`the header ${name} is ${headers.get(name) ?? "missing"}`],
  );
  if (status === 405 && !headers.get("allow")) problems.push("405 without the header allow");
  const { code, retryAfter } = body as { code?: string; retryAfter?: number };
  // Time does not help against a limit of things that are stored.
  const says = code === "VOICE_CLONE_LIMIT_EXCEEDED" ? null : String(retryAfter);
  if (status === 429 && headers.get("retry-after") !== says)
    problems.push(`retry-after is ${headers.get("retry-after")}, not retryAfter`);
  return problems;
}

/** Nothing of a stream, which does not end. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response.text();
  await response.body?.cancel();
  return "";
}
