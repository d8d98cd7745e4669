/**
 * The error catalogue: every refusal a client can meet, with its HTTP status and its default sentence.
 * A more exact message may be given where the error is thrown. Status and code of the first nine: specification, "Errors".
 */
export const errorCatalogue = {
  VALIDATION_ERROR: { status: 400, message: "The request is not valid. See details.errors for each problem." },
  INVALID_FILE_FORMAT: { status: 400, message: "The file format is not supported." },
  UNAUTHORIZED: { status: 401, message: "Send a valid API key in the x-api-key header." },
  ENRICHMENT_CREDITS_EXHAUSTED: { status: 402, message: "Not enough credits for this request." },
  PERMISSION_DENIED: { status: 403, message: "This API key may not do that." },
  FILE_TOO_LARGE: { status: 413, message: "A file is too large." },
  RATE_LIMIT_EXCEEDED: { status: 429, message: "Too many requests. Wait for retryAfter seconds, then go on." },
  VOICE_CLONE_LIMIT_EXCEEDED: { status: 429, message: "The maximum number of voice clones is reached." },
  SERVICE_UNAVAILABLE: { status: 503, message: "The service could not do this now. Try again in a moment." },
  NOT_FOUND: { status: 404, message: "There is no such thing here." },
  METHOD_NOT_ALLOWED: { status: 405, message: "This route does not take that method. See the Allow header." },
  DO_NOT_CONTACT: { status: 409, message: "This person is on the do-not-contact list." },
  REQUEST_TIMEOUT: {
    status: 408,
    message: "The body of the request arrived too slowly. Send it again over a faster connection.",
  },
  CONFLICT: { status: 409, message: "This is in conflict with what is stored." },
  PRECONDITION_FAILED: {
    status: 412,
    message: "It was changed since you read it. Read it again, then repeat your change.",
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: "The request body is too large." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "The content type of the body is not supported on this route." },
  RANGE_NOT_SATISFIABLE: { status: 416, message: "The file does not have the bytes that Range names." },
  REQUEST_IN_PROGRESS: {
    status: 409,
    message: "A request with this Idempotency-Key is still under way. Send it again in a moment.",
  },
  REQUEST_INTERRUPTED: {
    status: 409,
    message:
      "A request with this Idempotency-Key was begun and not brought to its end, so some of it may be done. Look at what is there, then send what is missing with a new key.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: "This Idempotency-Key was used with another body. Send a new key with a new request.",
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

/** One problem of a request: where it is (dotted path; "" = the whole body), what is wrong, and for lists which item. */
export type FieldError = { path: string; message: string; index?: number };

type ErrorOptions = {
  /** Replaces the catalogue's sentence. */
  message?: string;
  details?: Record<string, unknown>;
  /** Seconds until the same request can succeed; also sent as Retry-After. */
  retryAfterSeconds?: number;
  /** Response headers that belong to this refusal, such as Allow. */
  headers?: Record<string, string>;
  cause?: unknown;
};

/** `required`: one permission, or "*" where only an admin or a global key will do. `available`: what the key has. */
export type PermissionHelp = { required: string; available: readonly string[] };

/** A refusal that is meant for the client. Anything else that is thrown is a fault of ours and becomes SERVICE_UNAVAILABLE. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Record<string, string>;

  /** A 403 says which permission would help (specification, "Errors"), so it can't be built without. */
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

/** 400 VALIDATION_ERROR that names every problem; the message repeats the first so that a person sees it at once. */
export function invalid(errors: FieldError[]): ApiError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see details.errors)` : "";
  const where = first?.path ? `${first.path}: ` : "";
  return new ApiError("VALIDATION_ERROR", {
    ...(first && { message: `${where}${first.message}${more}` }),
    details: { errors },
  });
}

/** 404 for an id that does not exist or belongs to somebody else; both look the same, so that ids can't be probed. */
export function notFound(resource: string, id: string): ApiError {
  return new ApiError("NOT_FOUND", { message: `There is no ${resource} with id ${id}.`, details: { resource, id } });
}
