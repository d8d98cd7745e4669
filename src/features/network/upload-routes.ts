import type { Core } from "../../platform/http/core.ts";
import { feature } from "../../platform/http/feature.ts";
import { body } from "../../platform/http/input.ts";
import { answersJson } from "../../platform/http/openapi.ts";
import { requireApprover } from "../../platform/auth/caller.ts";
import { UploadAnswer, UploadInput } from "./upload-model.ts";
import type { UploadService } from "./upload-service.ts";

export function uploadRoutes(core: Core, uploads: UploadService) {
  return feature(core, "/api/v2/network").post(
    "/upload-prospects",
    async ({ caller, userId, body: input }) =>
      uploads.upload(userId, input, () => requireApprover(caller, "upload prospects into a campaign")),
    {
      bulk: "network:upload",
      body: body(UploadInput),
      detail: answersJson(UploadAnswer, {
        tag: "Network",
        summary: "Upload prospects",
        description:
          "Up to 10,000 people become leads; each row is checked for itself and ends in one result. Profile URLs are brought into one form before duplicates are looked for, nobody on the do-not-contact list is stored, and to send the same list again does no harm.",
        errors: ["CONFLICT"],
      }),
    },
  );
}
