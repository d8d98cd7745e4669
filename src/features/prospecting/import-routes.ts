import { Type } from "@sinclair/typebox";
import { bodyStream } from "../../platform/http/body-digest.ts";
import type { Core } from "../../platform/http/core.ts";
import { feature } from "../../platform/http/feature.ts";
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
import { params } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { refuseAnnounced, tooLarge } from "../../platform/http/read-body.ts";
import type { ProspectImports } from "./import-job.ts";
import { prospectOnDuplicate, prospectReportOutcomes } from "./model.ts";

const ImportQuery = Type.Object({
  onDuplicate: Type.Optional(
    Type.Union(
      prospectOnDuplicate.map((choice) => Type.Literal(choice)),
      {
        default: "update",
        description:
          "update takes what the file says of who is there already; skip leaves the record as it is, but for what a new company tells of people who lack it.",
      },
    ),
  ),
  ...fileQueryFields('field, where the headers are not understood. Example: {"Firm":"company","Staff":"companySize"}'),
});

const ReportPage = reportPageOf(
  Type.Object({
    ...reportRowFields(prospectReportOutcomes),
    prospectId: Type.Union([Type.String(), Type.Null()]),
    errors: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
  }),
);

export function prospectImportRoutes(core: Core, imports: ProspectImports, maxImportBytes: number) {
  return feature(core, "/api/v2/prospecting")
    .post(
      "/import",
      async ({ caller, userId, request, query, set }) => {
        const settings = { ...fileSettings(query, request), onDuplicate: query.onDuplicate ?? "update" };
        refuseAnnounced(request, maxImportBytes);
        const tooMuch = () => tooLarge(maxImportBytes);
        return accepted(
          set,
          await imports.start(caller, userId, bodyStream(request), settings, maxImportBytes, tooMuch),
        );
      },
      {
        upload: "leads:write",
        query: params(ImportQuery),
        detail: importDetail({
          tag: "Prospecting",
          summary: "Import a file of prospects or companies into your directory",
          description:
            'The body is the file: CSV (delimiter, encoding and headers are recognised) or NDJSON. People and companies are found by what identifies them and merged: a person by e-mail or profile, else by name and company, of which the legal form, "The" and "and" or "&" do not count. A row with the e-mail of one record and the profile of another makes one of the two, unless they have different addresses, profiles or names; the ids of both name it from then on. The newest word counts: what a file says of a company goes to all of its people, and who has another title or company than before loses what belonged to the old one, its e-mail address and phone too, unless the row tells it. Answers at once with a job.',
        }),
      },
    )
    .get(
      "/import/:jobId/report",
      ({ userId, params: { jobId }, query: { outcome = null, ...page } }) =>
        reportPage(page, (rows) => imports.report({ userId, jobId, outcome, ...rows })),
      {
        access: "leads:read",
        params: params(Type.Object({ jobId: Type.String() })),
        query: params(reportQuery(prospectReportOutcomes)),
        detail: answersJson(success(ReportPage), {
          tag: "Prospecting",
          summary: "Which rows of an import of prospects were skipped, merged or failed, and why",
          description:
            "With `outcome=created`: the rows that became new prospects, with their ids, as far as those are still there. Page with `afterRow`.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}
