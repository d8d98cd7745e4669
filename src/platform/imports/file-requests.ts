import { Type, type Static, type TSchema } from "@sinclair/typebox";
import { ApiError, invalid } from "../base/errors.ts";
import type { Job } from "../jobs/model.ts";
import { JobView } from "../jobs/model.ts";
import { jobView } from "../jobs/service.ts";
import { encodingNamed, usualEncodings } from "../../lib/table-file/encodings.ts";
import type { FileFormat } from "./file-format.ts";
import { numberIn } from "../http/cursor.ts";
import { logPageFields, pageQuery } from "../http/paging.ts";
import { charset, mediaType, params } from "../http/input.ts";
import { answersJson, success } from "../http/openapi.ts";
import { ok } from "../http/request-context.ts";

/** Content types that an import accepts, and the format that each implies. */
const importFormats: Record<string, FileFormat> = {
  "text/csv": "csv",
  "text/tab-separated-values": "csv",
  "application/csv": "csv",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.ms-excel.sheet.macroenabled.12": "xlsx",
  // Windows says so of CSV files, too.
  "application/vnd.ms-excel": "auto",
  "application/x-ndjson": "ndjson",
  "application/ndjson": "ndjson",
  "application/jsonl": "ndjson",
  "text/plain": "auto",
  "application/octet-stream": "auto",
};

export const sheetField = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description:
      "Sheet of an Excel workbook to read: its name, or its number, counted from 1. The first visible one if omitted.",
  }),
);

/** Query parameters of every import. `targets` describes what a column can map to, with an example. */
export function fileQueryFields(targets: string) {
  return {
    dryRun: Type.Optional(Type.Boolean({ default: false, description: "Check and report everything, store nothing." })),
    source: Type.Optional(Type.String({ maxLength: 200, description: "Source of rows that have none." })),
    delimiter: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1,
        description: "Separator of the cells. Detected automatically if omitted.",
      }),
    ),
    encoding: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          "Encoding of the file, if automatic detection fails or is wrong: " +
          `${usualEncodings.join(", ")}, or any other in the WHATWG Encoding Standard. A byte order mark takes precedence. ` +
          "Overrides the charset of the content type.",
      }),
    ),
    sheet: sheetField,
    columns: Type.Optional(Type.String({ maxLength: 20_000, description: `JSON object from header to ${targets}` })),
    userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
  };
}
type FileQuery = {
  dryRun?: boolean;
  source?: string;
  delimiter?: string;
  encoding?: string;
  sheet?: string;
  columns?: string;
};

/**
 * How to read the body. Throws UNSUPPORTED_MEDIA_TYPE for the content type and its charset, and VALIDATION_ERROR for
 * `encoding` and `columns`.
 */
export function fileSettings(
  { dryRun = false, source, delimiter, encoding, sheet, columns }: FileQuery,
  request: Request,
) {
  return {
    format: formatOf(request),
    dryRun,
    source: source?.trim() || null,
    delimiter: delimiter ?? null,
    encoding: encoding === undefined ? charsetEncoding(request) : encodingIn(encoding),
    sheet: sheet ?? null,
    columns: columns === undefined ? null : columnsIn(columns),
  };
}

/** The response to a file that was accepted: 202 with its job. */
export function accepted(set: { status?: number | string; headers: Record<string, string | number> }, job: Job) {
  set.status = 202;
  set.headers["location"] = `/api/v2/users/jobs/${job.id}`;
  return ok(jobView(job));
}

type Described = { tag: Parameters<typeof answersJson>[1]["tag"]; summary: string; description: string };

/** Request body of a route that accepts a file, for OpenAPI. */
export const fileContent = Object.fromEntries(
  Object.keys(importFormats).map((type) => [type, { schema: { type: "string" as const } }]),
);

/** OpenAPI description of the route that accepts the file. */
export function importDetail(described: Described) {
  return {
    ...answersJson(success(JobView), {
      ...described,
      status: 202,
      errors: ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
      headers: { Location: "URL of the job." },
    }),
    requestBody: { required: true, content: fileContent },
  };
}

/** Query parameters of an import report. */
export function reportQuery<Outcome extends string>(outcomes: readonly Outcome[]) {
  return Type.Object({
    ...pageQuery(100, 1000),
    afterRow: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: "Same as `cursor`." })),
    outcome: Type.Optional(Type.Union(outcomes.map((outcome) => Type.Literal(outcome)))),
  });
}

/** Fields that report rows of all imports have. */
export function reportRowFields<Outcome extends string>(outcomes: readonly Outcome[]) {
  return {
    row: Type.Integer({ description: "Row number as in a spreadsheet: the header is row 1." }),
    outcome: Type.Union(outcomes.map((outcome) => Type.Literal(outcome))),
  };
}

export function reportPageOf<Row extends TSchema>(row: Row) {
  return Type.Object({
    rows: Type.Array(row),
    ...logPageFields,
    nextRow: Type.Union([Type.Integer(), Type.Null()], {
      description: "Value of `afterRow` for the next page, the same as `nextCursor`.",
    }),
  });
}

/** A page of the report, with the cursor of the next one. */
export async function reportPage<Row extends { row: number }>(
  { limit = 100, afterRow = 0, cursor }: { limit?: number; afterRow?: number; cursor?: string },
  read: (page: { limit: number; afterRow: number }) => Promise<{ rows: Row[]; total: number }>,
) {
  const from = cursor === undefined ? afterRow : numberIn(cursor);
  const { rows: found, total } = await read({ limit: limit + 1, afterRow: from });
  const rows = found.slice(0, limit);
  const nextRow = found.length > limit ? (rows.at(-1)?.row ?? null) : null;
  return ok({ rows, total, limit, nextCursor: nextRow === null ? null : `${nextRow}`, nextRow });
}

function formatOf(request: Request): FileFormat {
  const type = mediaType(request);
  const format = type === "" ? "auto" : Object.hasOwn(importFormats, type) ? importFormats[type] : undefined;
  if (format !== undefined) return format;
  throw new ApiError("UNSUPPORTED_MEDIA_TYPE", {
    message: `Content type "${type}" is not supported. Send the file itself as the body, as text/csv, application/x-ndjson, or application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.`,
    details: { supported: Object.keys(importFormats) },
  });
}

/**
 * The encoding that the charset of the content type names. Null without a charset, and for UTF-8, which clients send
 * without checking and which is detected reliably. Throws UNSUPPORTED_MEDIA_TYPE for an unknown charset.
 */
export function charsetEncoding(request: Request): string | null {
  const name = charset(request);
  const encoding = name === null ? null : encodingNamed(name);
  if (name === null || encoding !== null) return encoding === "utf-8" ? null : encoding;
  throw new ApiError("UNSUPPORTED_MEDIA_TYPE", {
    message: `The charset of the content type is not supported. ${unknownEncoding(name)} Without a charset, the encoding is detected.`,
    details: { supported: [...usualEncodings] },
  });
}

function encodingIn(name: string): string {
  const encoding = encodingNamed(name);
  if (encoding !== null) return encoding;
  throw invalid([{ path: "encoding", message: unknownEncoding(name) }]);
}

function unknownEncoding(name: string): string {
  return `Unknown encoding "${name.slice(0, 40)}". Use one such as ${usualEncodings.join(", ")}, or save the file as UTF-8.`;
}

const Columns = Type.Object({ columns: Type.Record(Type.String(), Type.String()) });

function columnsIn(json: string): Static<typeof Columns>["columns"] {
  try {
    return params(Columns)["~standard"].validate({ columns: JSON.parse(json) as unknown }).value.columns;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw invalid([{ path: "columns", message: "Expected a JSON object from header to field." }]);
  }
}
