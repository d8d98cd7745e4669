import { Type } from "@sinclair/typebox";
import { routes } from "../../platform/http/route.ts";
import { disposition, fileAnswer } from "../../platform/http/files.ts";
import { fileContent } from "../../platform/blobs/file-content.ts";
import { optionalBody, params } from "../../platform/http/input.ts";
import { answers, answersJson, success, withRanges } from "../../platform/http/openapi.ts";
import { pageFields, pageOfAll, pageQuery } from "../../platform/http/paging.ts";
import { ok } from "../../platform/http/request-context.ts";
import { BackupInput, BackupList, BackupRunView } from "./model.ts";
import type { BackupService } from "./service.ts";

const Name = Type.Object({ name: Type.String() });
const Deleted = Type.Object({ success: Type.Literal(true), message: Type.String() });

export function backupRoutes(backups: BackupService) {
  return routes("/api/v2/backups")
    .post(
      "/",
      async ({ caller, body: { prune = true }, set }) => {
        const run = await backups.start(caller, prune);
        set.status = 202;
        set.headers.location = `/api/v2/backups/${run.name}`;
        return ok(run);
      },
      {
        callerOnly: "backups:write",
        body: optionalBody(BackupInput),
        docs: answersJson(success(BackupRunView), {
          tag: "Backups",
          summary: "Create a backup",
          description:
            "Admins only. Returns immediately. Poll the backup by name, or subscribe to the events `backup.completed` and `backup.failed`. The server stays available during the backup. Restore the archive with `outreachd restore`.",
          status: 202,
          errors: ["CONFLICT"],
          headers: { Location: "URL of the backup." },
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
        docs: answersJson(success(Type.Object({ ...BackupList.properties, ...pageFields })), {
          tag: "Backups",
          summary: "List backups, newest first",
          description:
            "Admins only. Lists all backups in the configured destination, including those of other servers, along with the backup in progress, the result of the last backup, and the settings. If the destination is unavailable, `problem` says why, and `backups` lists only what could be read.",
        }),
      },
    )
    .get("/:name", async ({ caller, params: { name } }) => ok(await backups.get(caller, name)), {
      callerOnly: "backups:read",
      params: params(Name),
      docs: answersJson(success(BackupRunView), {
        tag: "Backups",
        summary: "Get the status of a backup",
        description: "Admins only.",
        errors: ["NOT_FOUND"],
      }),
    })
    .get(
      "/:name/download",
      async ({ caller, params: { name }, request }) => {
        const { bytes, path, stream } = await backups.download(caller, name);
        const headers = { "content-type": "application/zstd", "content-disposition": disposition("attachment", name) };
        if (path === null) return new Response(stream(), { headers });
        return fileAnswer(request, fileContent(path, bytes), headers);
      },
      {
        callerOnly: "backups:read",
        params: params(Name),
        docs: withRanges(
          answers(
            { "application/zstd": { schema: Type.String({ format: "binary" }) } },
            {
              tag: "Backups",
              summary: "Download a backup",
              description:
                "Admins only, because a backup contains the data of all users. Range requests are supported for backups that are stored on disk.",
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
        return { success: true as const, message: `Backup ${name} deleted.` };
      },
      {
        callerOnly: "backups:write",
        params: params(Name),
        docs: answersJson(Deleted, {
          tag: "Backups",
          summary: "Delete a backup",
          description: "Admins only. Also deletes backups of other servers; check `isOwn` in the list first.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}
