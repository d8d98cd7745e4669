import { Type } from "@sinclair/typebox";
import type { AuditService } from "../../platform/auth/audit/service.ts";
import type { JobMetadata } from "../../platform/jobs/model.ts";
import { routes } from "../../platform/http/route.ts";
import { byteStream, fileAnswer } from "../../platform/http/files.ts";
import {
  accepted,
  fileQueryFields,
  fileContent,
  fileSettings,
  importDetail,
  reportPage,
  reportPageOf,
  reportQuery,
  reportRowFields,
} from "../../platform/imports/file-requests.ts";
import type { HeldFiles } from "../../platform/imports/held-files.ts";
import { bodyStream, params, refuseAnnounced, tooLarge } from "../../platform/http/input.ts";
import { answers, answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { acceptedFormat, exportFormats, exportMediaTypes, exportPieces } from "./export.ts";
import { filterOf, leadFilterFields } from "./filter-query.ts";
import type { LeadAssignees } from "./assignees.ts";
import { failedRowsType } from "./import/failed-rows-file.ts";
import { causesOf, failedRowsOf, keptFailedRowsOf } from "./import-report.ts";
import type { KeptFailedRows } from "./kept-failed-rows.ts";
import type { LeadImports } from "./import-job.ts";
import { ImportCause } from "./import/cause-model.ts";
import { ImportPreview } from "./import/preview-model.ts";
import { previewOf } from "./import/preview.ts";
import { importOnDuplicate, importReportOutcomes, maxTagLength, maxTags } from "./model.ts";
import type { LeadService } from "./service.ts";

const ImportQuery = Type.Object({
  onDuplicate: Type.Optional(
    Type.Union(
      importOnDuplicate.map((choice) => Type.Literal(choice)),
      {
        default: "skip",
        description: "skip leaves an existing lead unchanged; update merges into it; create stores a second lead.",
      },
    ),
  ),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: maxTagLength }), {
      maxItems: maxTags,
      description: "Added to every lead in the file.",
    }),
  ),
  assignTo: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        "Member to whom new leads are assigned (user ID), `me`, or `roundRobin`: all active owners, admins, and members in turn. Leads that exist keep their member.",
    }),
  ),
  ...fileQueryFields(
    'field (a lead field, customFields.NAME, or ignore), where the headers are not understood. Example: {"Mail":"email"}',
  ),
});

const { delimiter, encoding, sheet, columns, userId } = ImportQuery.properties;
const PreviewQuery = Type.Object({ delimiter, encoding, sheet, columns, userId });
/** A preview needs the first 64 KiB; a little more is accepted. */
const maxPreviewBytes = 2 * 65_536;

const ReportPage = reportPageOf(
  Type.Object({
    ...reportRowFields(importReportOutcomes),
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
);
const ExportQuery = Type.Object({
  ...leadFilterFields,
  format: Type.Optional(
    Type.Union(
      exportFormats.map((format) => Type.Literal(format)),
      { description: "Format of the file. Omitted: the one that the Accept header names, else csv." },
    ),
  ),
});

function failedRowsHeaders(metadata: JobMetadata) {
  const { mediaType, extension } = failedRowsType(metadata);
  return { "content-type": mediaType, "content-disposition": `attachment; filename="failed-rows.${extension}"` };
}

const failedRowsContent = { "text/csv": { schema: Type.String() }, "application/x-ndjson": { schema: Type.String() } };
const failedRowsFormat =
  "CSV of a CSV file or a workbook, with its columns and a last one, `Import problem`, that says why; NDJSON of NDJSON, with that property. Fix the rows and import the file; `Import problem` is ignored.";

export function leadTransferRoutes(
  leads: LeadService,
  imports: LeadImports,
  kept: KeptFailedRows,
  previews: HeldFiles,
  assignees: LeadAssignees,
  maxImportBytes: number,
  audit: AuditService,
) {
  return routes("/api/v2/leads")
    .post(
      "/import",
      async (context) => {
        const { caller, workspaceId, userId, request, query, set } = context;
        const { onDuplicate = "skip", tags = [] } = query;
        const assignTo = await assignees.named({ workspaceId, userId }, query.assignTo);
        const settings = { ...fileSettings(query, request), onDuplicate, tags, assignTo };
        refuseAnnounced(request, maxImportBytes);
        const tooMuch = () => tooLarge(maxImportBytes);
        return accepted(
          set,
          await imports.start(caller, workspaceId, bodyStream(context), settings, maxImportBytes, tooMuch),
        );
      },
      {
        upload: "leads:write",
        query: params(ImportQuery),
        docs: importDetail({
          tag: "Leads",
          summary: "Import a file of leads",
          description:
            "The body is the file: CSV (delimiter, encoding, and headers are detected), NDJSON, or an Excel workbook (.xlsx). Returns a job immediately; when it has completed, read the report of rows that were skipped or failed.",
        }),
      },
    )
    .post(
      "/import/preview",
      async (context) => {
        const { workspaceId, request, query } = context;
        const settings = fileSettings(query, request);
        refuseAnnounced(request, maxImportBytes);
        const limits = { textBytes: maxPreviewBytes, workbookBytes: maxImportBytes, tooLarge };
        return ok(await previewOf(previews, workspaceId, bodyStream(context), settings, limits, request.signal));
      },
      {
        upload: "leads:write",
        query: params(PreviewQuery),
        docs: {
          ...answersJson(success(ImportPreview), {
            tag: "Leads",
            summary: "Preview how a file is read",
            description:
              "Send the first 64 KiB of a text file, or all of a smaller one. An Excel workbook is needed as a whole. Nothing is stored. At most 4 previews of a workspace can be in progress. `columns`, `delimiter`, `encoding`, and `sheet` work as for the import.",
            errors: ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
          }),
          requestBody: { required: true, content: fileContent },
        },
      },
    )
    .get(
      "/import/:jobId/report",
      ({ workspaceId, params: { jobId }, query: { outcome = null, ...page } }) =>
        reportPage(page, (rows) => imports.report({ workspaceId, jobId, outcome, ...rows })),
      {
        access: "leads:read",
        params: params(Type.Object({ jobId: Type.String() })),
        query: params(reportQuery(importReportOutcomes)),
        docs: answersJson(success(ReportPage), {
          tag: "Leads",
          summary: "List the rows of an import that were skipped, merged, or failed",
          description:
            "With the reason for each row. `outcome=created` lists the rows that became new leads, with the IDs of those that still exist. Page with `afterRow`.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .get(
      "/import/:jobId/causes",
      async ({ workspaceId, params: { jobId } }) => ok({ causes: await causesOf(imports, leads, workspaceId, jobId) }),
      {
        access: "leads:read",
        params: params(Type.Object({ jobId: Type.String() })),
        docs: answersJson(success(Type.Object({ causes: Type.Array(ImportCause) })), {
          tag: "Leads",
          summary: "Group the rows of an import by why they were skipped, merged, or failed",
          description: "With the number of rows of each cause and the first of them. Most rows first.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .get(
      "/import/:jobId/failed-rows",
      async ({ workspaceId, params: { jobId }, request }) => {
        const { content, metadata } = await keptFailedRowsOf(imports, kept, workspaceId, jobId);
        return fileAnswer(request, content, failedRowsHeaders(metadata));
      },
      {
        access: "leads:read",
        params: params(Type.Object({ jobId: Type.String() })),
        docs: answers(failedRowsContent, {
          tag: "Leads",
          summary: "Download the failed rows of an import",
          description: `The rows that failed, as a file: ${failedRowsFormat} Kept for 7 days, up to 20 MB; erasing a person deletes those of the workspace. Afterwards, send the file of the import with POST.`,
          errors: ["NOT_FOUND", "CONFLICT", "RANGE_NOT_SATISFIABLE"],
        }),
      },
    )
    .post(
      "/import/:jobId/failed-rows",
      async (context) => {
        const { workspaceId, params, request, onStreamError } = context;
        refuseAnnounced(request, maxImportBytes);
        const sent = { maxBytes: maxImportBytes, tooLarge, signal: request.signal };
        const rows = await failedRowsOf(imports, previews, workspaceId, params.jobId, bodyStream(context), sent);
        const headers = failedRowsHeaders(rows.metadata);
        return new Response(await byteStream(rows.content, onStreamError), { headers });
      },
      {
        upload: "leads:write",
        params: params(Type.Object({ jobId: Type.String() })),
        docs: {
          ...answers(failedRowsContent, {
            tag: "Leads",
            summary: "Get the failed rows of an import from its file",
            description: `For imports whose failed rows are not kept: send the file of the import again. Returns the rows that failed, as a file: ${failedRowsFormat}`,
            errors: ["NOT_FOUND", "CONFLICT", "PAYLOAD_TOO_LARGE"],
          }),
          requestBody: { required: true, content: fileContent },
        },
      },
    )
    .get(
      "/export",
      async ({ caller, workspaceId, userId, request, onStreamError, query: { format: named, ...query } }) => {
        const format = named ?? acceptedFormat(request.headers.get("accept"));
        await audit.note(caller, { action: "leads.exported", workspaceId, details: { format } });
        const found = leads.all(workspaceId, filterOf(query, userId));
        return new Response(await byteStream(exportPieces(found, format), onStreamError), {
          headers: {
            "content-type": exportMediaTypes[format],
            "content-disposition": `attachment; filename="leads.${format}"`,
          },
        });
      },
      {
        access: "leads:read",
        query: params(ExportQuery),
        docs: answers(
          {
            "text/csv": { schema: Type.String() },
            "application/x-ndjson": { schema: Type.String() },
            [exportMediaTypes.xlsx]: { schema: Type.String({ format: "binary" }) },
          },
          {
            tag: "Leads",
            summary: "Export leads as a file",
            description:
              "Streamed, oldest first, with the same filters as the list. Can be imported again. Rows beyond the 1,048,576 of an Excel sheet go to further sheets.",
          },
        ),
      },
    );
}
