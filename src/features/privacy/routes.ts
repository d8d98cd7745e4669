import { routes } from "../../platform/http/route.ts";
import { byteStream } from "../../platform/http/files.ts";
import { body } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { EraseInput, ErasureView, ExportInput, PersonDocument } from "./model.ts";
import { recordView, type PersonExport, type PrivacyService } from "./service.ts";

export function privacyRoutes(privacy: PrivacyService) {
  return routes("/api/v2/privacy")
    .post(
      "/export",
      async ({ caller, workspaceId, onStreamError, body: input, setIdleTimeout }) => {
        const found = await privacy.export(caller, workspaceId, input);
        // The export scans all stored data, and nothing is sent while a table has no matches.
        setIdleTimeout(0);
        return new Response(await byteStream(document(found), onStreamError), {
          headers: { "content-type": "application/json", "content-disposition": 'attachment; filename="person.json"' },
        });
      },
      {
        access: "privacy:read",
        body: body(ExportInput),
        docs: answersJson(success(PersonDocument), {
          tag: "Privacy",
          summary: "Export a person's data",
          description:
            "Returns everything that is stored about one person, streamed as one JSON document. The audit log records who requested the export, and hashes of the identifiers.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/erase",
      async ({ caller, workspaceId, body: input }) => ok(await privacy.erase(caller, workspaceId, input)),
      {
        access: "privacy:write",
        body: body(EraseInput),
        docs: answersJson(success(ErasureView), {
          tag: "Privacy",
          summary: "Erase a person's data",
          description:
            "A dry run unless `dryRun` is false. Pending actions are canceled. Actions that were already sent still count against the caps, but without name or text. Erasure runs as a job that waits for actions in progress, resumes after a crash, and keeps no identifiers of the person it erased.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}

const notes = [
  "Recordings and generated speech are not included. Voice clones belong to the users who created them and are deleted with them; only their names are listed. Speech sent to a person is not stored.",
  "Files of failed imports are retained for 7 days so that the imports can be retried. Backups are retained until you delete them.",
  "Connectors and enrichment providers may hold data about this person. Request it from them separately.",
];

async function* document({ records, ...head }: PersonExport): AsyncGenerator<Uint8Array, void, void> {
  const encoder = new TextEncoder();
  const opening = JSON.stringify({ ...head, notes }).slice(0, -1);
  yield encoder.encode(`{"success":true,"data":${opening},"records":[`);
  let separator = "";
  for await (const page of records)
    for (const record of page) {
      yield encoder.encode(separator + JSON.stringify(recordView(record)));
      separator = ",";
    }
  yield encoder.encode("]}}");
}
