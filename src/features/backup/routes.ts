import { Type } from "@sinclair/typebox";
import type { Core } from "../../platform/http/core.ts";
import { feature } from "../../platform/http/feature.ts";
import { disposition, fileAnswer } from "../../platform/http/files.ts";
import { optionalBody, params } from "../../platform/http/input.ts";
import { answers, answersJson, success, withRanges } from "../../platform/http/openapi.ts";
import { pageFields, pageOfAll, pageQuery } from "../../platform/http/paging.ts";
import { ok } from "../../platform/http/responses.ts";
import { BackupInput, BackupList, BackupRunView } from "./model.ts";
import type { BackupService } from "./service.ts";

const Name = Type.Object({ name: Type.String() });
const Deleted = Type.Object({ success: Type.Literal(true), message: Type.String() });

export function backupRoutes(core: Core, backups: BackupService) {
  return feature(core, "/api/v2/backups")
    .post(
      "/",
      ({ caller, body: { prune = true }, set }) => {
        const run = backups.start(caller, prune);
        set.status = 202;
        set.headers.location = `/api/v2/backups/${run.name}`;
        return ok(run);
      },
      {
        callerOnly: "backups:write",
        body: optionalBody(BackupInput),
        detail: answersJson(success(BackupRunView), {
          tag: "Backups",
          summary: "Make a backup",
          description:
            "For admins. Answers at once; follow it by its name, or by the events `backup.completed` and `backup.failed`. The server goes on working meanwhile. `outreachd restore` reads the archive.",
          status: 202,
          errors: ["CONFLICT"],
          headers: { Location: "The backup." },
        }),
      },
    )
    .get(
      "/",
      async ({ caller, query: { limit = 1000, cursor } }) => {
        const { backups: all, ...others } = await backups.list(caller);
        const { items, ...page } = pageOfAll(all, { limit, cursor, idOf: ({ name }) => name, newestFirst: true });
        return ok({ backups: items, ...others, ...page });
      },
      {
        callerOnly: "backups:read",
        query: params(Type.Object(pageQuery(1000, 1000))),
        detail: answersJson(success(Type.Object({ ...BackupList.properties, ...pageFields })), {
          tag: "Backups",
          summary: "List backups, newest first",
          description:
            "For admins. All that lie where this server's backups go, also those of other servers. Also what is being made, how the last one went, and the settings. Where the place can't be used, `problem` says why, and `backups` has only what can be seen.",
        }),
      },
    )
    .get("/:name", async ({ caller, params: { name } }) => ok(await backups.get(caller, name)), {
      callerOnly: "backups:read",
      params: params(Name),
      detail: answersJson(success(BackupRunView), {
        tag: "Backups",
        summary: "How the making of a backup goes or went",
        description: "For admins.",
        errors: ["NOT_FOUND"],
      }),
    })
    .get(
      "/:name/download",
      async ({ caller, params: { name }, request }) => {
        const { path, stream } = await backups.download(caller, name);
        const headers = { "content-type": "application/zstd", "content-disposition": disposition("attachment", name) };
        const file = path === null ? null : await fileAnswer(request, path, headers);
        return file ?? new Response(stream(), { headers });
      },
      {
        callerOnly: "backups:read",
        params: params(Name),
        detail: withRanges(
          answers(
            { "application/zstd": { schema: Type.String({ format: "binary" }) } },
            {
              tag: "Backups",
              summary: "Download a backup",
              description:
                "For admins: it holds everybody's data. A range of bytes may be asked for where it lies on disk.",
              errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
            },
          ),
        ),
      },
    )
    .delete(
      "/:name",
      async ({ caller, params: { name } }) => {
        await backups.remove(caller, name);
        return { success: true as const, message: `Deleted the backup ${name}.` };
      },
      {
        callerOnly: "backups:write",
        params: params(Name),
        detail: answersJson(Deleted, {
          tag: "Backups",
          summary: "Delete a backup",
          description: "For admins. It may be that of another server: see `isOwn` in the list.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}
