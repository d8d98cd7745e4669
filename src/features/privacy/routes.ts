import type { Core } from "../../platform/http/core.ts";
import { feature } from "../../platform/http/feature.ts";
import { byteStream } from "../../platform/http/files.ts";
import { body } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/responses.ts";
import { EraseInput, ErasureView, ExportInput, PersonDocument } from "./model.ts";
import { recordView, type PersonExport, type PrivacyService } from "./service.ts";

export function privacyRoutes(core: Core, privacy: PrivacyService) {
  return feature(core, "/api/v2/privacy")
    .post(
      "/export",
      async ({ caller, userId, brokeOff, body: input, request, server }) => {
        const found = await privacy.export(caller, userId, input);
        // All that is stored is looked through; a place without the person sends nothing for a while.
        server?.timeout(request, 0);
        return new Response(byteStream(document(found), brokeOff), {
          headers: { "content-type": "application/json", "content-disposition": 'attachment; filename="person.json"' },
        });
      },
      {
        access: "privacy:read",
        body: body(ExportInput),
        detail: answersJson(success(PersonDocument), {
          tag: "Privacy",
          summary: "Everything that is stored about one person",
          description:
            "As one document, streamed as it is found. The audit log keeps who asked, and hashes of about whom.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post("/erase", async ({ caller, userId, body: input }) => ok(await privacy.erase(caller, userId, input)), {
      access: "privacy:write",
      body: body(EraseInput),
      detail: answersJson(success(ErasureView), {
        tag: "Privacy",
        summary: "Erase one person",
        description:
          "A dry run unless `dryRun` is false. Waiting actions are canceled; what was sent goes on to count against the caps, without name or text. Done by a job: it waits for actions that are being carried out, goes on after a crash, and forgets whom it erased.",
        errors: ["NOT_FOUND"],
      }),
    });
}

const notes = [
  "Recordings and speech are not in here: voices belong to the users who made them, are named by name only, and go when they are deleted; what is spoken to a person is not kept.",
  "Files of imports that failed are kept for 7 days, so that they can be tried again, and backups for as long as you keep them.",
  "Connectors and enrichment providers hold data of their own; ask them too.",
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
