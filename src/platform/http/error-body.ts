import { Type } from "@sinclair/typebox";
import { type ApiError, errorCatalogue } from "../base/errors.ts";

/** The version of the interface, in error bodies and in the health report (specification, "Versioning"). */
export const apiVersion = "2.0";

export const ErrorBody = Type.Object(
  {
    error: Type.Literal(true),
    code: Type.String({ enum: Object.keys(errorCatalogue) }),
    message: Type.String({ description: "What is wrong and what to do about it, for a person to read." }),
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
    retryAfter: Type.Optional(Type.Integer({ description: "Seconds until the request can succeed." })),
  },
  { $id: "Error" },
);

/** The one refusal with a body of its own (specification, GET /api/v2/users/jobs). */
export const WrongKeyKindBody = Type.Object(
  { error: Type.String(), availableRoute: Type.String() },
  { $id: "WrongKeyKind" },
);

/** The body of every refusal. `permissionHelp` is taken out of the details, where the specification does not want it. */
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

/** Fields of the specification that hold a URL; all others, such as `availableRoute`, are paths if they look like one. */
const urlFields = ["documentation", "upgradeUrl", "upgrade_url"];

/** `details` with the address of this server before what is only a path on it. */
function withAbsoluteUrls(details: Record<string, unknown>, baseUrl: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => {
      if (urlFields.includes(name) && typeof value === "string" && value.startsWith("/"))
        return [name, baseUrl + value];
      return [name, name === "permissionHelp" ? withAbsoluteUrls(value as Record<string, unknown>, baseUrl) : value];
    }),
  );
}
