import { Type, type Static, type TSchema } from "@sinclair/typebox";
import { ApiError, invalid } from "../base/errors.ts";
import type { Job } from "../jobs/model.ts";
import { JobView } from "../jobs/model.ts";
import { jobView } from "../jobs/service.ts";
import { encodingNamed, usualEncodings } from "../../lib/table-file/encodings.ts";
import type { FileFormat } from "./file-format.ts";
import { numberIn } from "../http/cursor.ts";
import { logPageFields, pageQuery } from "../http/paging.ts";
import { params } from "../http/input.ts";
import { answersJson, success } from "../http/openapi.ts";
import { charset, mediaType } from "../http/media-type.ts";
import { ok } from "../http/responses.ts";

/** Content types that an import takes, and what each says about the format. */
const importFormats: Record<string, FileFormat> = {
  "text/csv": "csv",
  "text/tab-separated-values": "csv",
  "application/csv": "csv",
  "application/x-ndjson": "ndjson",
  "application/ndjson": "ndjson",
  "application/jsonl": "ndjson",
  "text/plain": "auto",
  "application/octet-stream": "auto",
};

/** What every import takes in its query. `targets`: what a column can go to, with an example. */
export function fileQueryFields(targets: string) {
  return {
    dryRun: Type.Optional(Type.Boolean({ default: false, description: "Check and report everything, store nothing." })),
    source: Type.Optional(Type.String({ maxLength: 200, description: "For rows that name none." })),
    delimiter: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1, description: "Found out by itself unless given." }),
    ),
    encoding: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          "What the file is in, where it is found out wrong or refused because it can't be told: " +
          `${usualEncodings.join(", ")}, or another of the WHATWG Encoding Standard. A byte order mark goes before it. ` +
          "It goes before the charset of the content type, which says the same.",
      }),
    ),
    columns: Type.Optional(Type.String({ maxLength: 20_000, description: `JSON object from header to ${targets}` })),
    userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
  };
}
type FileQuery = { dryRun?: boolean; source?: string; delimiter?: string; encoding?: string; columns?: string };

/** How the body is to be read. UNSUPPORTED_MEDIA_TYPE, also for the charset; VALIDATION_ERROR for `encoding` and `columns`. */
export function fileSettings({ dryRun = false, source, delimiter, encoding, columns }: FileQuery, request: Request) {
  return {
    format: formatOf(request),
    dryRun,
    source: source?.trim() || null,
    delimiter: delimiter ?? null,
    encoding: encoding === undefined ? charsetEncoding(request) : encodingIn(encoding),
    columns: columns === undefined ? null : columnsIn(columns),
  };
}

/** The answer to a file that was taken in: 202 with its job. */
export function accepted(set: { status?: number | string; headers: Record<string, string | number> }, job: Job) {
  set.status = 202;
  set.headers["location"] = `/api/v2/users/jobs/${job.id}`;
  return ok(jobView(job));
}

type Described = { tag: Parameters<typeof answersJson>[1]["tag"]; summary: string; description: string };

/** The body of a route that takes a file, for its description. */
export const fileContent = Object.fromEntries(
  Object.keys(importFormats).map((type) => [type, { schema: { type: "string" as const } }]),
);

/** Describes the route that takes the file. */
export function importDetail(described: Described) {
  return {
    ...answersJson(success(JobView), {
      ...described,
      status: 202,
      errors: ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
      headers: { Location: "The job." },
    }),
    requestBody: { required: true, content: fileContent },
  };
}

/** The query of the report on an import. */
export function reportQuery<Outcome extends string>(outcomes: readonly Outcome[]) {
  return Type.Object({
    ...pageQuery(100, 1000),
    afterRow: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: "As `cursor`." })),
    outcome: Type.Optional(Type.Union(outcomes.map((outcome) => Type.Literal(outcome)))),
  });
}

/** The fields of a line of the report that are the same in all imports. */
export function reportRowFields<Outcome extends string>(outcomes: readonly Outcome[]) {
  return {
    row: Type.Integer({ description: "Line as a spreadsheet numbers it: the header is line 1." }),
    outcome: Type.Union(outcomes.map((outcome) => Type.Literal(outcome))),
  };
}

export function reportPageOf<Row extends TSchema>(row: Row) {
  return Type.Object({
    rows: Type.Array(row),
    ...logPageFields,
    nextRow: Type.Union([Type.Integer(), Type.Null()], { description: "As `nextCursor`, for `afterRow`." }),
  });
}

/** A page of the report, and where the next one begins. */
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
  const format = type === "" ? "auto" : importFormats[type];
  if (format !== undefined) return format;
  throw new ApiError("UNSUPPORTED_MEDIA_TYPE", {
    message: `Send the file itself as the body, as text/csv or application/x-ndjson; "${type}" is not understood.`,
    details: { supported: Object.keys(importFormats) },
  });
}

/**
 * The encoding that the charset of the content type names; null when there is none, and for UTF-8, which clients say
 * without having looked, and which is found out where it is true. UNSUPPORTED_MEDIA_TYPE for what can't be read.
 */
export function charsetEncoding(request: Request): string | null {
  const name = charset(request);
  const encoding = name === null ? null : encodingNamed(name);
  if (name === null || encoding !== null) return encoding === "utf-8" ? null : encoding;
  throw new ApiError("UNSUPPORTED_MEDIA_TYPE", {
    message: `The charset of the content type: ${unreadable(name)} Without one it is found out.`,
    details: { supported: [...usualEncodings] },
  });
}

function encodingIn(name: string): string {
  const encoding = encodingNamed(name);
  if (encoding !== null) return encoding;
  throw invalid([{ path: "encoding", message: unreadable(name) }]);
}

function unreadable(name: string): string {
  return `"${name.slice(0, 40)}" is no encoding that can be read. Use one such as ${usualEncodings.join(", ")}, or save the list as UTF-8.`;
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
