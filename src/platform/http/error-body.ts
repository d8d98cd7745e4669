import { Type } from "@sinclair/typebox";
import { type ApiError, errorCatalogue } from "../base/errors.ts";

/** Version of the API, in error bodies and in the health report (specification, "Versioning"). */
export const apiVersion = "2.0";

export const ErrorBody = Type.Object(
  {
    error: Type.Literal(true),
    code: Type.String({ enum: Object.keys(errorCatalogue) }),
    message: Type.String({ description: "What is wrong and how to fix it, as text for people." }),
    version: Type.Literal(apiVersion),
    timestamp: Type.String({ format: "date-time" }),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    permissionHelp: Type.Optional(
      Type.Object({
        required: Type.String(),
        available: Type.Array(Type.String()),
        documentation: Type.String({ format: "uri" }),
      }),
    ),
    retryAfter: Type.Optional(Type.Integer({ description: "Seconds after which to retry the request." })),
  },
  { $id: "Error" },
);

/** The only error with a different body (specification, GET /api/v2/users/jobs). */
export const WrongKeyKindBody = Type.Object(
  { error: Type.String(), availableRoute: Type.String() },
  { $id: "WrongKeyKind" },
);

/** The body of every error. `permissionHelp` is a separate field, as the specification requires. */
export function errorBody(error: ApiError, timestamp: string, baseUrl: string): Record<string, unknown> {
  const { permissionHelp, ...details } = withAbsoluteUrls(error.details ?? {}, baseUrl);
  return {
    error: true,
    code: error.code,
    message: error.message,
    version: apiVersion,
    timestamp,
    ...(Object.keys(details).length > 0 && { details }),
    ...(permissionHelp !== undefined && { permissionHelp }),
    ...(error.retryAfterSeconds !== undefined && { retryAfter: error.retryAfterSeconds }),
  };
}

/** Fields that the specification defines as URLs. All others, such as `availableRoute`, are paths. */
const urlFields = ["documentation", "upgradeUrl", "upgrade_url"];

/** Prefixes paths in `urlFields` with the URL of the server. */
function withAbsoluteUrls(details: Record<string, unknown>, baseUrl: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => {
      if (urlFields.includes(name) && typeof value === "string" && value.startsWith("/"))
        return [name, baseUrl + value];
      return [name, name === "permissionHelp" ? withAbsoluteUrls(value as Record<string, unknown>, baseUrl) : value];
    }),
  );
}
