import { Type, type Static } from "@sinclair/typebox";
import type { AuditService } from "../../platform/auth/audit/service.ts";
import { ApiError } from "../../platform/base/errors.ts";
import { bodyStream } from "../../platform/http/body-digest.ts";
import type { Core } from "../../platform/http/core.ts";
import { feature } from "../../platform/http/feature.ts";
import { charsetEncoding } from "../../platform/imports/file-requests.ts";
import { byteStream } from "../../platform/http/files.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/cursor.ts";
import { body, params } from "../../platform/http/input.ts";
import { answers, answersJson, success } from "../../platform/http/openapi.ts";
import { mediaType } from "../../platform/http/media-type.ts";
import { refuseAnnounced, tooLarge } from "../../platform/http/read-body.ts";
import { ok } from "../../platform/http/responses.ts";
import { exportCsv } from "./export.ts";
import { importList } from "./import.ts";
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

const Scope = Type.Union(
  suppressionScopes.map((scope) => Type.Literal(scope)),
  { description: "user: your own entries. team: those that hold for everybody." },
);
const Kind = Type.Union(suppressionKinds.map((kind) => Type.Literal(kind)));
const filterFields = {
  scope: Type.Optional(Scope),
  kind: Type.Optional(Kind),
};
const ListQuery = Type.Object({
  ...filterFields,
  value: Type.Optional(
    Type.String({ maxLength: maxValueLength, description: "Exactly this value, also where only its hash is kept." }),
  ),
  q: Type.Optional(Type.String({ maxLength: maxValueLength, description: "This text is in the value." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ description: "nextCursor of the page before; goes with the same filters." })),
});
const ListPage = Type.Object({
  suppressions: Type.Array(SuppressionView),
  total: Type.Integer({ description: "Entries that the filters let through, exactly." }),
  limit: Type.Integer(),
  nextCursor: Type.Union([Type.String(), Type.Null()], { description: "null on the last page." }),
});
const ImportQuery = Type.Object({
  scope: Type.Optional(
    Type.Union(
      suppressionScopes.map((scope) => Type.Literal(scope)),
      { default: "user", description: "team: for everybody; admins only." },
    ),
  ),
  hashOnly: Type.Optional(Type.Boolean({ default: false, description: "Keep only the hash of each value." })),
  reason: Type.Optional(Type.String({ maxLength: maxReasonLength, description: "For lines that tell none." })),
  userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
});
const EntryId = Type.Object({ suppressionId: Type.String() });
const Deleted = Type.Object({ success: Type.Literal(true), message: Type.String() });

const importTypes = [
  "text/csv",
  "text/plain",
  "text/tab-separated-values",
  "application/csv",
  "application/octet-stream",
];

export function suppressionRoutes(
  core: Core,
  suppressions: SuppressionService,
  maxImportBytes: number,
  audit: AuditService,
) {
  return feature(core, "/api/v2/suppressions")
    .post("/", async ({ caller, userId, body: input }) => ok(await suppressions.add(caller, userId, input)), {
      access: "leads:write",
      body: body(SuppressionInput),
      detail: answersJson(success(SuppressionResults), {
        tag: "Suppression",
        summary: "Put values on the do-not-contact list",
        description:
          "Each value has an outcome of its own, in order; one that is on the list already keeps its entry, so that a call may be repeated. From the answer on nobody with such an address can be stored, imported or contacted.",
      }),
    })
    .get("/", async ({ userId, query }) => ok(await page(suppressions, userId, query)), {
      access: "leads:read",
      query: params(ListQuery),
      detail: answersJson(success(ListPage), {
        tag: "Suppression",
        summary: "List entries, newest first",
        description: "Your own and the team's.",
      }),
    })
    .post("/check", async ({ userId, body: person }) => ok(await suppressions.check(userId, person)), {
      access: "leads:read",
      body: body(SuppressionCheck),
      detail: answersJson(success(SuppressionAnswer), {
        tag: "Suppression",
        summary: "Ask whether somebody may be contacted",
      }),
    })
    .post(
      "/import",
      async ({ caller, userId, request, query: { scope = "user", hashOnly = false, reason } }) => {
        requireText(request);
        refuseAnnounced(request, maxImportBytes);
        const options = { scope, hashOnly, reason: reason?.trim() || null, encoding: charsetEncoding(request) };
        const body = bounded(bodyStream(request), maxImportBytes);
        const report = await importList(suppressions, caller, userId, body, options);
        const { rows, added } = report;
        await audit.noteStored(caller, { action: "suppressions.imported", userId, details: { scope, rows, added } });
        return ok(report);
      },
      {
        upload: "leads:write",
        query: params(ImportQuery),
        detail: {
          ...answersJson(success(SuppressionImport), {
            tag: "Suppression",
            summary: "Import a do-not-contact list",
            description:
              "The body is the file: CSV with a header (email, domain, LinkedIn URL, phone, value; reason), or a value a line, in UTF-8 or the charset of the content type. It is stored while it arrives; when it breaks off, send it again. The export is taken back as it is.",
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
      async ({ caller, userId, brokeOff, query: { scope, kind } }) => {
        await audit.note(caller, { action: "suppressions.exported", userId });
        return new Response(
          byteStream(exportCsv(suppressions.all(userId, { ...(scope && { scope }), ...(kind && { kind }) })), brokeOff),
          {
            headers: {
              "content-type": "text/csv; charset=utf-8",
              "content-disposition": 'attachment; filename="do-not-contact.csv"',
            },
          },
        );
      },
      {
        access: "leads:read",
        query: params(Type.Object(filterFields)),
        detail: answers(
          { "text/csv": { schema: Type.String() } },
          {
            tag: "Suppression",
            summary: "Export the do-not-contact list as CSV",
            description: "Streamed, newest first. Where only the hash is kept, the value is that hash.",
          },
        ),
      },
    )
    .get(
      "/:suppressionId",
      async ({ userId, params: { suppressionId } }) =>
        ok(suppressionView(await suppressions.get(userId, suppressionId))),
      {
        access: "leads:read",
        params: params(EntryId),
        detail: answersJson(success(SuppressionView), {
          tag: "Suppression",
          summary: "Read an entry",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/:suppressionId/erase",
      async ({ caller, userId, params: { suppressionId } }) =>
        ok(suppressionView(await suppressions.forgetValue(caller, userId, suppressionId))),
      {
        access: "leads:delete",
        params: params(EntryId),
        detail: answersJson(success(SuppressionView), {
          tag: "Suppression",
          summary: "Forget the value of an entry, keep its hash",
          description: "Value and reason are gone for good; the entry goes on to hold.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/:suppressionId",
      async ({ caller, userId, params: { suppressionId } }) => {
        await suppressions.remove(caller, userId, suppressionId);
        return { success: true as const, message: `Removed the entry ${suppressionId}.` };
      },
      {
        access: "leads:delete",
        params: params(EntryId),
        detail: answersJson(Deleted, {
          tag: "Suppression",
          summary: "Remove an entry",
          description: "From now on it stands in nobody's way. Who did it, and when, is in the server's log.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}

async function page(suppressions: SuppressionService, userId: string, query: Static<typeof ListQuery>) {
  const { scope, kind, value, q, limit = 50, cursor } = query;
  const filter: SuppressionFilter = {
    ...(scope && { scope }),
    ...(kind && { kind }),
    ...(value && { key: suppressions.keyOf(value) }),
    ...(q && { text: q }),
  };
  const after = cursor === undefined ? null : Number(decodeCursor(cursor, 1)[0]);
  const { entries, total, next } = await suppressions.page({ userId, filter, after, limit });
  return {
    suppressions: entries.map(suppressionView),
    total,
    limit,
    nextCursor: next === null ? null : encodeCursor([next]),
  };
}

function requireText(request: Request): void {
  const type = mediaType(request);
  if (type === "" || importTypes.includes(type)) return;
  throw new ApiError("UNSUPPORTED_MEDIA_TYPE", {
    message: `Send the list itself as the body, as text/csv or text/plain; "${type}" is not understood.`,
    details: { supported: importTypes },
  });
}

/** The body as it arrives; throws 413 once more than `maxBytes` have. */
async function* bounded(body: AsyncIterable<Uint8Array> | null, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}
