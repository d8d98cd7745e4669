import { Type, type Static } from "@sinclair/typebox";
import { parseInstant } from "../base/clock.ts";
import { invalid } from "../base/errors.ts";
import { routes } from "../http/route.ts";
import { decodeCursor, wholeIn } from "../http/cursor.ts";
import { byteStream } from "../http/files.ts";
import { params } from "../http/input.ts";
import { logPageFields, pageOf, pageQuery } from "../http/paging.ts";
import { answers, answersJson, success } from "../http/openapi.ts";
import { ok } from "../http/request-context.ts";
import { requireAdmin } from "../auth/caller.ts";
import { auditActions, AuditCheck, AuditEntryView, type AuditFilter, type ChainPlace } from "../auth/audit/model.ts";
import { auditView, type AuditService } from "../auth/audit/service.ts";

const filterFields = {
  action: Type.Optional(
    Type.String({
      maxLength: 60,
      description: `One of ${auditActions.join(", ")}. To match a group of actions, use the part before the dot, such as \`key\`.`,
    }),
  ),
  userId: Type.Optional(Type.String({ description: "Only entries about this user. For admins and global keys." })),
  keyId: Type.Optional(Type.String({ description: "Only actions performed with this key." })),
  targetId: Type.Optional(Type.String({ description: "Only actions on this key, user, voice, job, or other object." })),
  from: Type.Optional(Type.String({ description: "Only entries at or after this time (ISO 8601 or Unix time)." })),
  to: Type.Optional(Type.String({ description: "Only entries at or before this time." })),
};
const Filter = Type.Object(filterFields);
const ListQuery = Type.Object({
  ...filterFields,
  ...pageQuery(100, 500),
});
const ListPage = Type.Object({
  entries: Type.Array(AuditEntryView),
  ...logPageFields,
});

const KnownPlace = Type.Object({
  lastId: Type.Optional(
    Type.Integer({ minimum: 1, description: "From a previous check, or from the manifest of a backup." }),
  ),
  lastHash: Type.Optional(
    Type.String({
      pattern: "^[0-9a-f]{64}$",
      description: "From the same source. Send `lastId` and `lastHash` together.",
    }),
  ),
});

export function auditRoutes(audit: AuditService) {
  return routes("/api/v2/audit")
    .get(
      "/",
      async ({ caller, query: { limit = 100, cursor, ...query } }) => {
        const before = cursor === undefined ? null : wholeIn(decodeCursor(cursor, 1)[0]);
        const filter = filterOf(query);
        const [found, total] = await Promise.all([
          audit.page(caller, filter, before, limit + 1),
          audit.count(caller, filter),
        ]);
        const { items, ...page } = pageOf(found, limit, ({ seq }) => [seq]);
        return ok({ entries: items.map(auditView), total, ...page });
      },
      {
        callerOnly: "audit:read",
        query: params(ListQuery),
        docs: answersJson(success(ListPage), {
          tag: "Audit",
          summary: "List audit entries, newest first",
          description: "Admins and global keys see all entries. Other users see entries about themselves.",
        }),
      },
    )
    .get(
      "/export",
      async ({ caller, onStreamError, query }) => {
        const filter = filterOf(query);
        await audit.note(caller, { action: "audit.exported", workspaceId: caller.workspaceId });
        return new Response(await byteStream(ndjson(audit.all(caller, filter)), onStreamError), {
          headers: {
            "content-type": "application/x-ndjson",
            "content-disposition": 'attachment; filename="audit.ndjson"',
          },
        });
      },
      {
        callerOnly: "audit:read",
        query: params(Filter),
        docs: answers(
          { "application/x-ndjson": { schema: Type.String() } },
          {
            tag: "Audit",
            summary: "Export the audit log",
            description: "Streams the same entries as the list, newest first, one per line.",
          },
        ),
      },
    )
    .get(
      "/verify",
      async ({ caller, query }) => {
        requireAdmin(caller);
        return ok(await audit.verify(knownPlaceIn(query)));
      },
      {
        callerOnly: "audit:read",
        query: params(KnownPlace),
        docs: answersJson(success(AuditCheck), {
          tag: "Audit",
          summary: "Verify the integrity of the audit log",
          description:
            "Admins only. Checks the hash of every entry, which covers the previous entry, and the separately stored hash of the last one. A user with write access to the database could still rewrite the whole log. To detect that, store `lastId` and `lastHash` in another place and send them with the next check.",
        }),
      },
    );
}

function filterOf({ action, from, to, userId, ...rest }: Static<typeof Filter>): AuditFilter {
  const actions =
    action === undefined ? undefined : auditActions.filter((name) => name === action || name.startsWith(`${action}.`));
  if (actions?.length === 0) throw invalid([{ path: "action", message: `Choose one of: ${auditActions.join(", ")}.` }]);
  return {
    ...rest,
    ...(userId !== undefined && { workspaceId: userId }),
    ...(actions && { actions }),
    ...(from !== undefined && { from: instant("from", from) }),
    ...(to !== undefined && { to: instant("to", to) }),
  };
}

function knownPlaceIn({ lastId, lastHash }: Static<typeof KnownPlace>): ChainPlace | null {
  if (lastId !== undefined && lastHash !== undefined) return { seq: lastId, hash: Buffer.from(lastHash, "hex") };
  if (lastId === undefined && lastHash === undefined) return null;
  const path = lastId === undefined ? "lastId" : "lastHash";
  throw invalid([{ path, message: "Send lastId and lastHash together, as returned by a previous check." }]);
}

function instant(path: string, text: string): number {
  const at = parseInstant(text);
  if (at === null) throw invalid([{ path, message: "Expected a time, such as 2026-01-31T09:00:00Z." }]);
  return at;
}

/** Yields page by page, so that memory use does not grow with the log. */
async function* ndjson(pages: ReturnType<AuditService["all"]>): AsyncGenerator<Uint8Array, void, void> {
  for await (const page of pages)
    yield Buffer.from(page.map((entry) => `${JSON.stringify(auditView(entry))}\n`).join(""));
}
