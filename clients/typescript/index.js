import { operations } from "./operations.js";

/** An error response, or no response at all (status 0). */
export class OutreachdError extends Error {
  /**
   * @param {string} message
   * @param {{ status?: number, code?: string, details?: Record<string, unknown>, requestId?: string | null, retryAfterSeconds?: number | null, cause?: unknown }} facts
   */
  constructor(
    message,
    { status = 0, code = "NO_RESPONSE", details = {}, requestId = null, retryAfterSeconds = null, cause } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "OutreachdError";
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function createClient({ baseUrl, apiKey, fetch: send = globalThis.fetch, retries = 2, wait = waitFor }) {
  const settings = { baseUrl: baseUrl.replace(/\/+$/, ""), apiKey, send, retries, wait };
  const methods = Object.entries(operations).map(([name, [method, path]]) => [
    name,
    (request = {}) => callOperation(settings, method, path, request),
  ]);
  return Object.freeze(Object.fromEntries(methods));
}

/** All pages of a list, one after the other. */
export async function* pages(list, request = {}) {
  let cursor = request.query?.cursor;
  do {
    const page = await list({ ...request, query: { ...request.query, ...(cursor !== undefined && { cursor }) } });
    yield page;
    cursor = page.data?.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** The longest wait that the client accepts by itself. */
const maxWaitSeconds = 60;

async function callOperation(
  { baseUrl, apiKey, send, retries, wait },
  method,
  path,
  { path: parameters = {}, query, body, headers, signal },
) {
  const url = baseUrl + filled(path, parameters) + queryText(query);
  const isRaw = isRawBody(body);
  const sentHeaders = {
    "x-api-key": apiKey,
    // The same for each attempt, so that the server carries the request out once.
    ...(method === "POST" && { "idempotency-key": crypto.randomUUID() }),
    ...(body !== undefined && !isRaw && { "content-type": "application/json" }),
    ...headers,
  };
  const init = {
    method,
    headers: sentHeaders,
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
    ...(isStream(body) && { duplex: "half" }),
  };
  // A stream can be read once.
  const attempts = isStream(body) ? 1 : retries + 1;
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOnce(send, url, init);
    if (!(outcome instanceof OutreachdError)) return outcome;
    const delay = delaySeconds(outcome, method, attempt);
    if (attempt >= attempts || delay === null || signal?.aborted) throw outcome;
    await wait(delay * 1000);
  }
}

async function attemptOnce(send, url, init) {
  let response;
  try {
    response = await send(url, init);
  } catch (cause) {
    if (cause?.name === "AbortError") throw cause;
    return new OutreachdError(`No response from ${new URL(url).origin}: ${cause?.message ?? cause}`, { cause });
  }
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  if (response.ok) return isJson ? response.json() : response;
  const text = await response.text();
  const { message, code, details, retryAfter } = isJson ? JSON.parse(text) : {};
  return new OutreachdError(message ?? `${response.status} ${response.statusText}`, {
    status: response.status,
    code: code ?? "UNKNOWN",
    details: details ?? {},
    requestId: response.headers.get("x-request-id"),
    retryAfterSeconds: retryAfter ?? (Number(response.headers.get("retry-after")) || null),
  });
}

/** Seconds until another attempt makes sense; null: it does not. */
function delaySeconds({ status, code, retryAfterSeconds }, method, attempt) {
  const isRepeatable = method === "GET" || method === "POST" || method === "PUT" || method === "DELETE";
  const isPassing = status === 0 || status === 503 || code === "RATE_LIMIT_EXCEEDED" || code === "REQUEST_IN_PROGRESS";
  if (!isPassing || !(isRepeatable || status === 503 || status === 429)) return null;
  const delay = retryAfterSeconds ?? 2 ** (attempt - 1);
  return delay > maxWaitSeconds ? null : delay;
}

function filled(path, parameters) {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    if (parameters[name] === undefined) throw new TypeError(`The path parameter ${name} is missing.`);
    return encodeURIComponent(String(parameters[name]));
  });
}

function queryText(query = {}) {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [value].flat().map((one) => [name, String(one)]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

function isStream(body) {
  return typeof ReadableStream !== "undefined" && body instanceof ReadableStream;
}

function isRawBody(body) {
  return (
    typeof body === "string" ||
    body instanceof Uint8Array ||
    body instanceof ArrayBuffer ||
    isStream(body) ||
    (typeof Blob !== "undefined" && body instanceof Blob) ||
    (typeof FormData !== "undefined" && body instanceof FormData)
  );
}

function waitFor(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
