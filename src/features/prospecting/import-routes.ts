import { Type } from "@sinclair/typebox";
import { routes } from "../../platform/http/route.ts";
import {
  accepted,
  fileQueryFields,
  fileSettings,
  importDetail,
  reportPage,
  reportPageOf,
  reportQuery,
  reportRowFields,
} from "../../platform/imports/file-requests.ts";
import { bodyStream, params, refuseAnnounced, tooLarge } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import type { ProspectImports } from "./import-job.ts";
import { prospectOnDuplicate, prospectReportOutcomes } from "./model.ts";

const ImportQuery = Type.Object({
  onDuplicate: Type.Optional(
    Type.Union(
      prospectOnDuplicate.map((choice) => Type.Literal(choice)),
      {
        default: "update",
        description:
          "What to do with prospects that already exist. `update` applies the data of the file. `skip` leaves the record unchanged, except for details of a new company that the record lacks.",
      },
    ),
  ),
  ...fileQueryFields('field, for headers that are not recognized. Example: {"Firm":"company","Staff":"companySize"}'),
});

const ReportPage = reportPageOf(
  Type.Object({
    ...reportRowFields(prospectReportOutcomes),
    prospectId: Type.Union([Type.String(), Type.Null()]),
    errors: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
  }),
);

export function prospectImportRoutes(imports: ProspectImports, maxImportBytes: number) {
  return routes("/api/v2/prospecting")
    .post(
      "/import",
      async (context) => {
        const { caller, workspaceId, request, query, set } = context;
        const settings = { ...fileSettings(query, request), onDuplicate: query.onDuplicate ?? "update" };
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
          tag: "Prospecting",
          summary: "Import prospects or companies from a file",
          description:
            'The body is the file: CSV (delimiter, encoding, and headers are detected), NDJSON, or an Excel workbook (.xlsx). Returns immediately with a job.\n\nRows are matched with existing people and companies, and merged. People are matched by email address or profile, or else by name and company; legal form, "The", and "and" or "&" in company names are ignored. A row with the email address of one record and the profile of another merges the two, unless their addresses, profiles, or names differ; both IDs then refer to the merged record.\n\nThe newest data wins. Company details apply to everyone at the company. When a title or company changes, details of the previous job, including email address and phone, are removed unless the row repeats them.',
        }),
      },
    )
    .get(
      "/import/:jobId/report",
      ({ workspaceId, params: { jobId }, query: { outcome = null, ...page } }) =>
        reportPage(page, (rows) => imports.report({ workspaceId, jobId, outcome, ...rows })),
      {
        access: "leads:read",
        params: params(Type.Object({ jobId: Type.String() })),
        query: params(reportQuery(prospectReportOutcomes)),
        docs: answersJson(success(ReportPage), {
          tag: "Prospecting",
          summary: "List skipped, merged, and failed rows of a prospect import",
          description:
            "Each row is listed with the reason. With `outcome=created`, lists the rows that created prospects, with the IDs of those that still exist. Paginate with `afterRow`.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}
