import { Type, type Static } from "@sinclair/typebox";
import { parseInstant } from "../base/clock.ts";
import { invalid } from "../base/errors.ts";
import type { Core } from "../http/core.ts";
import { feature } from "../http/feature.ts";
import { decodeCursor } from "../http/cursor.ts";
import { byteStream } from "../http/files.ts";
import { params } from "../http/input.ts";
import { logPageFields, pageOf, pageQuery } from "../http/paging.ts";
import { answers, answersJson, success } from "../http/openapi.ts";
import { ok } from "../http/responses.ts";
import { requireAdmin } from "../auth/caller.ts";
import { auditActions, AuditCheck, AuditEntryView, type AuditFilter, type ChainPlace } from "../auth/audit/model.ts";
import { auditView, type AuditService } from "../auth/audit/service.ts";

const filterFields = {
  action: Type.Optional(
    Type.String({
      maxLength: 60,
      description: `One of ${auditActions.join(", ")}; or what comes before the dot, such as key, for all of a kind.`,
    }),
  ),
  userId: Type.Optional(Type.String({ description: "About this user; for admins and global keys." })),
  keyId: Type.Optional(Type.String({ description: "Done with this key." })),
  targetId: Type.Optional(Type.String({ description: "Done to this key, user, voice, job and so on." })),
  from: Type.Optional(Type.String({ description: "From this moment on (ISO 8601 or Unix time)." })),
  to: Type.Optional(Type.String({ description: "Up to this moment." })),
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

const Kept = Type.Object({
  lastId: Type.Optional(
    Type.Integer({ minimum: 1, description: "As a check of before answered, or a backup's manifest." }),
  ),
  lastHash: Type.Optional(
    Type.String({ pattern: "^[0-9a-f]{64}$", description: "As above; one goes with the other." }),
  ),
});

export function auditRoutes(core: Core, audit: AuditService) {
  return feature(core, "/api/v2/audit")
    .get(
      "/",
      async ({ caller, query: { limit = 100, cursor, ...query } }) => {
        const before = cursor === undefined ? null : Number(decodeCursor(cursor, 1)[0]);
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
        detail: answersJson(success(ListPage), {
          tag: "Audit",
          summary: "Who did what, newest first",
          description: "Admins and global keys see all entries, others those about themselves.",
        }),
      },
    )
    .get(
      "/export",
      async ({ caller, brokeOff, query }) => {
        const filter = filterOf(query);
        await audit.note(caller, { action: "audit.exported", userId: caller.userId });
        return new Response(byteStream(ndjson(audit.all(caller, filter)), brokeOff), {
          headers: {
            "content-type": "application/x-ndjson",
            "content-disposition": 'attachment; filename="audit.ndjson"',
          },
        });
      },
      {
        callerOnly: "audit:read",
        query: params(Filter),
        detail: answers(
          { "application/x-ndjson": { schema: Type.String() } },
          {
            tag: "Audit",
            summary: "Export the audit log",
            description: "Streamed, an entry a line, newest first; the same entries as in the list.",
          },
        ),
      },
    )
    .get(
      "/verify",
      async ({ caller, query }) => {
        requireAdmin(caller);
        return ok(await audit.verify(keptIn(query)));
      },
      {
        callerOnly: "audit:read",
        query: params(Kept),
        detail: answersJson(success(AuditCheck), {
          tag: "Audit",
          summary: "Check that nobody has changed the audit log",
          description:
            "For admins. Each entry holds a hash of itself and of the one before, and the last one is written down apart; all of them are checked. Who can write to the database can write all of it anew: that shows only to who has kept `lastId` and `lastHash` elsewhere and sends them.",
        }),
      },
    );
}

function filterOf({ action, from, to, ...rest }: Static<typeof Filter>): AuditFilter {
  const actions =
    action === undefined ? undefined : auditActions.filter((name) => name === action || name.startsWith(`${action}.`));
  if (actions?.length === 0) throw invalid([{ path: "action", message: `Choose one of: ${auditActions.join(", ")}.` }]);
  return {
    ...rest,
    ...(actions && { actions }),
    ...(from !== undefined && { from: instant("from", from) }),
    ...(to !== undefined && { to: instant("to", to) }),
  };
}

function keptIn({ lastId, lastHash }: Static<typeof Kept>): ChainPlace | null {
  if (lastId !== undefined && lastHash !== undefined) return { seq: lastId, hash: Buffer.from(lastHash, "hex") };
  if (lastId === undefined && lastHash === undefined) return null;
  const path = lastId === undefined ? "lastId" : "lastHash";
  throw invalid([{ path, message: "Send lastId and lastHash together, as a check of before answered them." }]);
}

function instant(path: string, text: string): number {
  const at = parseInstant(text);
  if (at === null) throw invalid([{ path, message: "Expected a moment, such as 2026-01-31T09:00:00Z." }]);
  return at;
}

/** Page by page as it is read: constant memory, however many. */
async function* ndjson(pages: ReturnType<AuditService["all"]>): AsyncGenerator<Uint8Array, void, void> {
  for await (const page of pages)
    yield Buffer.from(page.map((entry) => `${JSON.stringify(auditView(entry))}\n`).join(""));
}
