/**
 * The error catalog: every error that clients can receive, with its HTTP status and default message. Code that throws an
 * error can give a more specific message. Status and code of the first nine: specification, "Errors".
 */
export const errorCatalogue = {
  VALIDATION_ERROR: { status: 400, message: "The request is invalid. See details.errors for all problems." },
  INVALID_FILE_FORMAT: { status: 400, message: "The file format is not supported." },
  UNAUTHORIZED: { status: 401, message: "Send a valid API key in the x-api-key header." },
  ENRICHMENT_CREDITS_EXHAUSTED: { status: 402, message: "Not enough credits for this request." },
  PERMISSION_DENIED: { status: 403, message: "This API key does not have the required permission." },
  FILE_TOO_LARGE: { status: 413, message: "The file is too large." },
  RATE_LIMIT_EXCEEDED: { status: 429, message: "Too many requests. Try again later." },
  VOICE_CLONE_LIMIT_EXCEEDED: { status: 429, message: "The maximum number of voice clones is reached." },
  SERVICE_UNAVAILABLE: { status: 503, message: "The service is temporarily unavailable. Try again in a moment." },
  NOT_FOUND: { status: 404, message: "Not found." },
  METHOD_NOT_ALLOWED: { status: 405, message: "Method not allowed. See the Allow header for supported methods." },
  DO_NOT_CONTACT: { status: 409, message: "This person is on the do-not-contact list." },
  REQUEST_TIMEOUT: {
    status: 408,
    message: "The request body arrived too slowly. Try again over a faster connection.",
  },
  CONFLICT: { status: 409, message: "The request conflicts with the current state." },
  PRECONDITION_FAILED: {
    status: 412,
    message: "The object has changed since you read it. Read it again, then repeat your change.",
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: "The request body is too large." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "The content type of the request body is not supported." },
  RANGE_NOT_SATISFIABLE: { status: 416, message: "The requested range is outside the file." },
  REQUEST_IN_PROGRESS: {
    status: 409,
    message: "A request with this Idempotency-Key is still in progress. Try again in a moment.",
  },
  REQUEST_INTERRUPTED: {
    status: 409,
    message:
      "A request with this Idempotency-Key was interrupted and may be partially complete. Check the current state, then send what is missing with a new key.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: "This Idempotency-Key was used with a different request body. Use a new key for a new request.",
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

/** One problem of a request: its location (dotted path; "" = the whole body), what is wrong, and the item of a list. */
export type FieldError = { path: string; message: string; index?: number };

type ErrorOptions = {
  /** Replaces the default message. */
  message?: string;
  details?: Record<string, unknown>;
  /** Seconds until the same request can succeed; also sent as Retry-After. */
  retryAfterSeconds?: number;
  /** Response headers of this error, such as Allow. */
  headers?: Record<string, string>;
  cause?: unknown;
};

/**
 * `required`: one permission, "*" if only an admin or a global key is allowed, or "allowedNetworks" if the key cannot be
 * used from the address of the request, whatever its permissions. `available`: permissions of the key.
 */
export type PermissionHelp = { required: string; available: readonly string[] };

/** An error for the client. Any other exception is an internal error and is reported as SERVICE_UNAVAILABLE. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Record<string, string>;

  /** A 403 must include the required permission (specification, "Errors"). */
  constructor(code: "PERMISSION_DENIED", options: ErrorOptions & { permissionHelp: PermissionHelp });
  constructor(code: Exclude<ErrorCode, "PERMISSION_DENIED">, options?: ErrorOptions);
  constructor(code: ErrorCode, options: ErrorOptions & { permissionHelp?: PermissionHelp } = {}) {
    super(options.message ?? errorCatalogue[code].message, { cause: options.cause });
    this.name = "ApiError";
    this.code = code;
    this.status = errorCatalogue[code].status;
    this.details =
      options.permissionHelp === undefined
        ? options.details
        : { ...options.details, permissionHelp: { ...options.permissionHelp, documentation: "/docs" } };
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }
}

/** 400 VALIDATION_ERROR with all problems. The message includes the first one, so that people see it immediately. */
export function invalid(errors: FieldError[]): ApiError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see details.errors)` : "";
  const where = first?.path ? `${first.path}: ` : "";
  return new ApiError("VALIDATION_ERROR", {
    ...(first && { message: `${where}${first.message}${more}` }),
    details: { errors },
  });
}

/** Throws VALIDATION_ERROR for a change without fields, which is rather a mistake than a wish. */
export function requireFields(change: object): void {
  if (Object.values(change).every((value) => value === undefined))
    throw invalid([{ path: "", message: "Nothing to change. Send at least one field." }]);
}

/** 404 for an ID that does not exist or belongs to another user. Both look the same, so that IDs cannot be probed. */
export function notFound(resource: string, id: string): ApiError {
  const message = `${resource.charAt(0).toUpperCase()}${resource.slice(1)} ${id} not found.`;
  return new ApiError("NOT_FOUND", { message, details: { resource, id } });
}
