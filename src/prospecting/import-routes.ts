import { Type, type Static } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { ApiError, invalid } from "../errors.ts";
import { bodyStream } from "../http/body-digest.ts";
import type { Core } from "../http/core.ts";
import { params } from "../http/input.ts";
import { answersJson, success } from "../http/openapi.ts";
import { mediaType, refuseAnnounced, tooLarge } from "../http/read-body.ts";
import { ok } from "../http/responses.ts";
import { JobView } from "../jobs/model.ts";
import { jobView } from "../jobs/service.ts";
import type { ProspectImportSettings } from "./import-job.ts";
import type { ProspectImportService } from "./import-service.ts";
import { prospectOnDuplicate, prospectOutcomes } from "./model.ts";

/** Content types that an import takes, and what each says about the format. */
const importFormats: Record<string, ProspectImportSettings["format"]> = {
  "text/csv": "csv",
  "text/tab-separated-values": "csv",
  "application/csv": "csv",
  "application/x-ndjson": "ndjson",
  "application/ndjson": "ndjson",
  "application/jsonl": "ndjson",
  "text/plain": "auto",
  "application/octet-stream": "auto",
};

const ImportQuery = Type.Object({
  onDuplicate: Type.Optional(
    Type.Union(
      prospectOnDuplicate.map((choice) => Type.Literal(choice)),
      { default: "update", description: "update adds to who is there already; skip leaves the record as it is." },
    ),
  ),
  source: Type.Optional(Type.String({ maxLength: 200, description: "For rows that name none." })),
  delimiter: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1, description: "Found out by itself unless given." }),
  ),
  columns: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description:
        'JSON object from header to field, where the headers are not understood. Example: {"Firm":"company","Staff":"companySize"}',
    }),
  ),
  userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
});

const ReportQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  afterRow: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: "nextRow of the page before." })),
  outcome: Type.Optional(Type.Union(prospectOutcomes.map((outcome) => Type.Literal(outcome)))),
});
const ReportPage = Type.Object({
  rows: Type.Array(
    Type.Object({
      row: Type.Integer({ description: "Line as a spreadsheet numbers it: the header is line 1." }),
      outcome: Type.Union(prospectOutcomes.map((outcome) => Type.Literal(outcome))),
      prospectId: Type.Union([Type.String(), Type.Null()]),
      errors: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
    }),
  ),
  nextRow: Type.Union([Type.Integer(), Type.Null()], { description: "afterRow of the next page; null on the last." }),
});
const Columns = Type.Record(Type.String(), Type.String());

export function prospectImportRoutes(core: Core, imports: ProspectImportService, maxImportBytes: number) {
  return new Elysia({ prefix: "/api/v2/prospecting" })
    .use(core)
    .post(
      "/import",
      async ({ userId, request, query, set }) => {
        const settings = settingsOf(query, formatOf(request));
        refuseAnnounced(request, maxImportBytes);
        const job = await imports.start(userId, bodyStream(request), settings, maxImportBytes, () =>
          tooLarge(maxImportBytes),
        );
        set.status = 202;
        set.headers.location = `/api/v2/users/jobs/${job.id}`;
        return ok(jobView(job));
      },
      {
        upload: "leads:write",
        parse: "none",
        query: params(ImportQuery),
        detail: {
          ...answersJson(success(JobView), {
            tag: "Prospecting",
            summary: "Import a file of prospects or companies into your directory",
            description:
              "The body is the file: CSV (delimiter, encoding and headers are recognised) or NDJSON. People and companies are found by what identifies them and merged. What a file says of a company goes to its people where they lack it. Answers at once with a job.",
            status: 202,
            errors: ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
            headers: { Location: "The job." },
          }),
          requestBody: {
            required: true,
            content: Object.fromEntries(
              Object.keys(importFormats).map((type) => [type, { schema: { type: "string" } }]),
            ),
          },
        },
      },
    )
    .get(
      "/import/:jobId/report",
      async ({ userId, params: { jobId }, query: { limit = 100, afterRow = 0, outcome = null } }) => {
        const rows = await imports.report({ userId, jobId, outcome, afterRow, limit });
        return ok({ rows, nextRow: rows.length === limit ? (rows.at(-1)?.row ?? null) : null });
      },
      {
        access: "leads:read",
        params: params(Type.Object({ jobId: Type.String() })),
        query: params(ReportQuery),
        detail: answersJson(success(ReportPage), {
          tag: "Prospecting",
          summary: "Which rows of an import of prospects were skipped, merged or failed, and why",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}

function formatOf(request: Request): ProspectImportSettings["format"] {
  const type = mediaType(request);
  const format = type === "" ? "auto" : importFormats[type];
  if (format !== undefined) return format;
  throw new ApiError("UNSUPPORTED_MEDIA_TYPE", {
    message: `Send the file itself as the body, as text/csv or application/x-ndjson; "${type}" is not understood.`,
    details: { supported: Object.keys(importFormats) },
  });
}

function settingsOf(
  query: Static<typeof ImportQuery>,
  format: ProspectImportSettings["format"],
): ProspectImportSettings {
  const { onDuplicate = "update", source, delimiter, columns } = query;
  return {
    format,
    onDuplicate,
    source: source?.trim() || null,
    delimiter: delimiter ?? null,
    columns: columns === undefined ? null : columnsIn(columns),
  };
}

function columnsIn(json: string): Record<string, string> {
  const check = params(Type.Object({ columns: Columns }))["~standard"];
  try {
    return check.validate({ columns: JSON.parse(json) as unknown }).value.columns;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw invalid([{ path: "columns", message: "Expected a JSON object from header to field." }]);
  }
}
