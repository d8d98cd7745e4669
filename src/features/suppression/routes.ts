import { Type, type Static } from "@sinclair/typebox";
import type { AuditService } from "../../platform/auth/audit/service.ts";
import { ApiError } from "../../platform/base/errors.ts";
import { routes } from "../../platform/http/route.ts";
import type { HeldFiles } from "../../platform/imports/held-files.ts";
import { charsetEncoding, sheetField } from "../../platform/imports/file-requests.ts";
import { byteStream } from "../../platform/http/files.ts";
import { decodeCursor, encodeCursor, wholeIn } from "../../platform/http/cursor.ts";
import { body, bodyStream, mediaType, params, refuseAnnounced, tooLarge } from "../../platform/http/input.ts";
import { answers, answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { exportFormats, exportMediaTypes, exportPieces } from "./export.ts";
import { importList } from "./import.ts";
import { withListText } from "./list-upload.ts";
import {
  maxReasonLength,
  maxValueLength,
  SuppressionAnswer,
  SuppressionCheck,
  SuppressionImport,
  SuppressionInput,
  suppressionKinds,
  SuppressionResults,
  suppressionScopes,
  SuppressionView,
  type SuppressionFilter,
} from "./model.ts";
import { suppressionView, type SuppressionService } from "./service.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

const Scope = Type.Union(
  suppressionScopes.map((scope) => Type.Literal(scope)),
  {
    description: "`user`: entries of your workspace. `team`: entries that apply to all workspaces of the installation.",
  },
);
const Kind = Type.Union(suppressionKinds.map((kind) => Type.Literal(kind)));
const filterFields = {
  scope: Type.Optional(Scope),
  kind: Type.Optional(Kind),
};
const ListQuery = Type.Object({
  ...filterFields,
  value: Type.Optional(
    Type.String({
      maxLength: maxValueLength,
      description: "Exact value to find. Also matches entries stored as a hash.",
    }),
  ),
  q: Type.Optional(Type.String({ maxLength: maxValueLength, description: "Text that the value contains." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ description: "`nextCursor` of the previous page. Use the same filters." })),
});
const ListPage = Type.Object({
  suppressions: Type.Array(SuppressionView),
  total: Type.Integer({ description: "Exact number of entries that match the filters." }),
  limit: Type.Integer(),
  nextCursor: Type.Union([Type.String(), Type.Null()], { description: "null on the last page." }),
});
const ImportQuery = Type.Object({
  scope: Type.Optional(
    Type.Union(
      suppressionScopes.map((scope) => Type.Literal(scope)),
      {
        default: "user",
        description: "`user`: your workspace. `team`: all workspaces of the installation, for admins.",
      },
    ),
  ),
  hashOnly: Type.Optional(Type.Boolean({ default: false, description: "Store only the hash of each value." })),
  reason: Type.Optional(
    Type.String({ maxLength: maxReasonLength, description: "Reason for lines that do not state one." }),
  ),
  sheet: sheetField,
  userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
});
const ExportQuery = Type.Object({
  ...filterFields,
  format: Type.Optional(
    Type.Union(
      exportFormats.map((format) => Type.Literal(format)),
      { default: "csv", description: "Format of the file: CSV or an Excel workbook." },
    ),
  ),
});
const EntryId = Type.Object({ suppressionId: Type.String() });
const Deleted = Type.Object({ success: Type.Literal(true), message: Type.String() });

const importTypes = [
  "text/csv",
  "text/plain",
  "text/tab-separated-values",
  "application/csv",
  "application/octet-stream",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.ms-excel",
];

export function suppressionRoutes(
  suppressions: SuppressionService,
  workbooks: HeldFiles,
  maxImportBytes: number,
  audit: AuditService,
) {
  return routes("/api/v2/suppressions")
    .post("/", async ({ caller, workspaceId, body: input }) => ok(await suppressions.add(caller, workspaceId, input)), {
      access: "leads:write",
      body: body(SuppressionInput),
      docs: answersJson(success(SuppressionResults), {
        tag: "Suppression",
        summary: "Add values to the do-not-contact list",
        description:
          "Returns one outcome per value, in order. Values that are already listed keep their entry, so requests are safe to repeat. As soon as the response is sent, people who match can no longer be stored, imported, or contacted.",
      }),
    })
    .get("/", async ({ workspaceId, query }) => ok(await page(suppressions, workspaceId, query)), {
      access: "leads:read",
      query: params(ListQuery),
      docs: answersJson(success(ListPage), {
        tag: "Suppression",
        summary: "List do-not-contact entries, newest first",
        description: "Includes the entries of your workspace and of the installation.",
      }),
    })
    .post("/check", async ({ workspaceId, body: person }) => ok(await suppressions.check(workspaceId, person)), {
      access: "leads:read",
      body: body(SuppressionCheck),
      docs: answersJson(success(SuppressionAnswer), {
        tag: "Suppression",
        summary: "Check whether a person may be contacted",
      }),
    })
    .post(
      "/import",
      async (context) => {
        const {
          caller,
          workspaceId,
          request,
          setIdleTimeout,
          query: { scope = "user", hashOnly = false, reason, sheet = null },
        } = context;
        requireList(request);
        refuseAnnounced(request, maxImportBytes);
        const options = { scope, hashOnly, reason: reason?.trim() || null, encoding: charsetEncoding(request) };
        const upload = bounded(bodyStream(context), maxImportBytes);
        const reading = { workspaceId, sheet, signal: request.signal };
        const report = await withListText(workbooks, upload, reading, (list) => {
          // A workbook has arrived as a whole: while it is stored, the connection is idle.
          if (list.delimiter !== null) setIdleTimeout(0);
          return importList(suppressions, caller, workspaceId, list, options);
        });
        const { rows, added } = report;
        await audit.noteStored(caller, {
          action: "suppressions.imported",
          workspaceId,
          details: { scope, rows, added },
        });
        return ok(report);
      },
      {
        upload: "leads:write",
        query: params(ImportQuery),
        docs: {
          ...answersJson(success(SuppressionImport), {
            tag: "Suppression",
            summary: "Import a do-not-contact list",
            description:
              "The body is the file: CSV with a header (email, domain, LinkedIn URL, phone, or value, and optionally reason), or one value per line, in UTF-8 or the charset of the content type; or an Excel workbook (.xlsx) with the same columns, of which `sheet` selects a sheet. Entries of text are stored as the file arrives, those of a workbook once it has arrived; if the upload is interrupted, send the file again. Exported files can be imported unchanged.",
            errors: ["INVALID_FILE_FORMAT", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
          }),
          requestBody: {
            required: true,
            content: Object.fromEntries(importTypes.map((type) => [type, { schema: { type: "string" } }])),
          },
        },
      },
    )
    .get(
      "/export",
      async ({ caller, workspaceId, onStreamError, query: { scope, kind, format = "csv" } }) => {
        await audit.note(caller, { action: "suppressions.exported", workspaceId });
        const found = suppressions.all(workspaceId, { ...(scope && { scope }), ...(kind && { kind }) });
        return new Response(await byteStream(exportPieces(found, format), onStreamError), {
          headers: {
            "content-type": exportMediaTypes[format],
            "content-disposition": `attachment; filename="do-not-contact.${format}"`,
          },
        });
      },
      {
        access: "leads:read",
        query: params(ExportQuery),
        docs: answers(
          {
            "text/csv": { schema: Type.String() },
            [exportMediaTypes.xlsx]: { schema: Type.String({ format: "binary" }) },
          },
          {
            tag: "Suppression",
            summary: "Export the do-not-contact list as a file",
            description: "Streamed, newest first. For entries stored as a hash, the value is the hash.",
          },
        ),
      },
    )
    .get(
      "/:suppressionId",
      async ({ workspaceId, params: { suppressionId } }) =>
        ok(suppressionView(await suppressions.get(workspaceId, suppressionId))),
      {
        access: "leads:read",
        params: params(EntryId),
        docs: answersJson(success(SuppressionView), {
          tag: "Suppression",
          summary: "Get a do-not-contact entry",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/:suppressionId/erase",
      async ({ caller, workspaceId, params: { suppressionId } }) =>
        ok(suppressionView(await suppressions.forgetValue(caller, workspaceId, suppressionId))),
      {
        access: "leads:delete",
        params: params(EntryId),
        docs: answersJson(success(SuppressionView), {
          tag: "Suppression",
          summary: "Erase the value of a do-not-contact entry",
          description: "Permanently deletes the value and reason. The entry stays in effect through its hash.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/:suppressionId",
      async ({ caller, workspaceId, params: { suppressionId } }) => {
        await suppressions.remove(caller, workspaceId, suppressionId);
        return { success: true as const, message: `Do-not-contact entry ${suppressionId} removed.` };
      },
      {
        access: "leads:delete",
        params: params(EntryId),
        docs: answersJson(Deleted, {
          tag: "Suppression",
          summary: "Remove a do-not-contact entry",
          description: "The entry no longer blocks anyone. The server log records who removed it and when.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}

async function page(suppressions: SuppressionService, workspaceId: WorkspaceId, query: Static<typeof ListQuery>) {
  const { scope, kind, value, q, limit = 50, cursor } = query;
  const filter: SuppressionFilter = {
    ...(scope && { scope }),
    ...(kind && { kind }),
    ...(value && { key: suppressions.keyOf(value) }),
    ...(q && { text: q }),
  };
  const after = cursor === undefined ? null : wholeIn(decodeCursor(cursor, 1)[0]);
  const { entries, total, next } = await suppressions.page({ workspaceId, filter, after, limit });
  return {
    suppressions: entries.map(suppressionView),
    total,
    limit,
    nextCursor: next === null ? null : encodeCursor([next]),
  };
}

function requireList(request: Request): void {
  const type = mediaType(request);
  if (type === "" || importTypes.includes(type)) return;
  throw new ApiError("UNSUPPORTED_MEDIA_TYPE", {
    message: `Send the list as the request body, as text/csv, text/plain, or an Excel workbook (.xlsx). Got "${type}".`,
    details: { supported: importTypes },
  });
}

/** Yields the body as it arrives. Throws 413 after more than `maxBytes`. */
async function* bounded(body: AsyncIterable<Uint8Array> | null, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}
