import { routes } from "../../platform/http/route.ts";
import { body } from "../../platform/http/input.ts";
import { answersJson } from "../../platform/http/openapi.ts";
import { requireApprover } from "../../platform/auth/caller.ts";
import { UploadAnswer, UploadInput } from "./upload-model.ts";
import { accountUser } from "./may-use.ts";
import type { UploadService } from "./upload-service.ts";

export function uploadRoutes(uploads: UploadService) {
  return routes("/api/v2/network").post(
    "/upload-prospects",
    async (context) =>
      uploads.upload(accountUser(context), context.body, () =>
        requireApprover(context.caller, "upload prospects into a campaign"),
      ),
    {
      bulk: "network:upload",
      body: body(UploadInput),
      docs: answersJson(UploadAnswer, {
        tag: "Network",
        summary: "Upload prospects",
        description:
          "Creates leads for up to 10,000 people. Each row is validated separately and has its own result. Profile URLs are normalized before duplicates are detected. People on the do-not-contact list are not stored. Safe to repeat unless onDuplicate is create.",
        errors: ["CONFLICT"],
      }),
    },
  );
}
