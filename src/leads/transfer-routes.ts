import { Type, type Static } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { ApiError, invalid } from "../errors.ts";
import { bodyStream } from "../http/body-digest.ts";
import type { Core } from "../http/core.ts";
import { params } from "../http/input.ts";
import { answers, answersJson, success } from "../http/openapi.ts";
import { mediaType, refuseAnnounced, tooLarge } from "../http/read-body.ts";
import { ok } from "../http/responses.ts";
import { JobView } from "../jobs/model.ts";
import { jobView } from "../jobs/service.ts";
import { exportFormats, exportMediaTypes, exportStream } from "./export.ts";
import { filterOf, leadFilterFields } from "./filter-query.ts";
import type { ImportSettings } from "./import-job.ts";
import type { LeadImportService } from "./import-service.ts";
import { importOnDuplicate, importOutcomes, maxTagLength, maxTags } from "./model.ts";
import type { LeadService } from "./service.ts";

/** Content types that an import takes, and what each says about the format. */
const importFormats: Record<string, ImportSettings["format"]> = {
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
      importOnDuplicate.map((choice) => Type.Literal(choice)),
      {
        default: "skip",
        description: "skip leaves a lead that is there as it is; update adds to it; create stores a second one.",
      },
    ),
  ),
  dryRun: Type.Optional(Type.Boolean({ default: false, description: "Check and report everything, store nothing." })),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: maxTagLength }), {
      maxItems: maxTags,
      description: "Given to every lead of the file.",
    }),
  ),
  source: Type.Optional(Type.String({ maxLength: 200, description: "For leads whose row names none." })),
  delimiter: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1, description: "Found out by itself unless given." }),
  ),
  columns: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description:
        'JSON object from header to field (a lead field, customFields.NAME, or ignore), where the headers are not understood. Example: {"Mail":"email"}',
    }),
  ),
  userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
});

const ReportQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  afterRow: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: "nextRow of the page before." })),
  outcome: Type.Optional(Type.Union(importOutcomes.map((outcome) => Type.Literal(outcome)))),
});
const ReportPage = Type.Object({
  rows: Type.Array(
    Type.Object({
      row: Type.Integer({ description: "Line as a spreadsheet numbers it: the header is line 1." }),
      outcome: Type.Union(importOutcomes.map((outcome) => Type.Literal(outcome))),
      leadId: Type.Union([Type.String(), Type.Null()]),
      errors: Type.Array(
        Type.Object({
          path: Type.String(),
          message: Type.String(),
          code: Type.Optional(
            Type.Literal("DO_NOT_CONTACT", { description: "The person is on the do-not-contact list." }),
          ),
        }),
      ),
    }),
  ),
  nextRow: Type.Union([Type.Integer(), Type.Null()], { description: "afterRow of the next page; null on the last." }),
});
const ExportQuery = Type.Object({
  ...leadFilterFields,
  format: Type.Optional(
    Type.Union(
      exportFormats.map((format) => Type.Literal(format)),
      { default: "csv" },
    ),
  ),
});
const Columns = Type.Record(Type.String(), Type.String());

export function leadTransferRoutes(core: Core, leads: LeadService, imports: LeadImportService, maxImportBytes: number) {
  return new Elysia({ prefix: "/api/v2/leads" })
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
            tag: "Leads",
            summary: "Import a file of leads",
            description:
              "The body is the file: CSV (delimiter, encoding and headers are recognised) or NDJSON. Answers at once with a job; follow it, then read the report of rows that were skipped or failed.",
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
          tag: "Leads",
          summary: "Which rows of an import were skipped, merged or failed, and why",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .get(
      "/export",
      ({ userId, query: { format = "csv", ...query } }) =>
        new Response(exportStream(leads.all(userId, filterOf(query)), format), {
          headers: {
            "content-type": exportMediaTypes[format],
            "content-disposition": `attachment; filename="leads.${format}"`,
          },
        }),
      {
        access: "leads:read",
        query: params(ExportQuery),
        detail: answers(
          { "text/csv": { schema: Type.String() }, "application/x-ndjson": { schema: Type.String() } },
          {
            tag: "Leads",
            summary: "Export leads as a file",
            description: "Streamed, oldest first, narrowed by the same filters as the list. An import reads it back.",
          },
        ),
      },
    );
}

function formatOf(request: Request): ImportSettings["format"] {
  const type = mediaType(request);
  const format = type === "" ? "auto" : importFormats[type];
  if (format !== undefined) return format;
  throw new ApiError("UNSUPPORTED_MEDIA_TYPE", {
    message: `Send the file itself as the body, as text/csv or application/x-ndjson; "${type}" is not understood.`,
    details: { supported: Object.keys(importFormats) },
  });
}

function settingsOf(query: Static<typeof ImportQuery>, format: ImportSettings["format"]): ImportSettings {
  const { onDuplicate = "skip", dryRun = false, tags = [], source, delimiter, columns } = query;
  return {
    format,
    onDuplicate,
    dryRun,
    tags,
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
