import { Type } from "@sinclair/typebox";
import { routes } from "../../platform/http/route.ts";
import { byteStream, disposition, fileAnswer } from "../../platform/http/files.ts";
import { body, params } from "../../platform/http/input.ts";
import { answers, answersJson, success } from "../../platform/http/openapi.ts";
import { pageFields, pageOf, pageQuery, timePlaceIn, timePlaceOf } from "../../platform/http/paging.ts";
import { ok } from "../../platform/http/request-context.ts";
import type { SampleChecker } from "./check.ts";
import {
  CheckView,
  CloneDetailView,
  cloneStatuses,
  CloneUpdate,
  CloneView,
  NewCloneView,
  PreviewInput,
  UpdatedCloneView,
} from "./model.ts";
import { settingsWith } from "./clone-parts.ts";
import type { VoiceService } from "./service.ts";
import type { SpeechService } from "./speech-service.ts";
import { cloneForm, cloneFormBody, cloneFormCheck, strictFormCheck, uploadOf } from "./upload-routes.ts";
import { checkView, cloneDetailView, cloneView, newCloneView, updatedCloneView } from "./views.ts";

const VoiceId = Type.Object({ voiceId: Type.String() });
const ListQuery = Type.Object({
  status: Type.Optional(Type.Union(cloneStatuses.map((status) => Type.Literal(status)))),
  ...pageQuery(50, 100),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
});
const CloneList = Type.Object({
  voiceClones: Type.Array(CloneView),
  ...pageFields,
  total: Type.Integer({ description: "Number of voice clones the user has, in any status." }),
  matching: Type.Integer({ description: "Number of voice clones with the requested status." }),
});
const Created = Type.Object({ success: Type.Literal(true), data: NewCloneView, message: Type.String() });
const Deleted = Type.Object({ success: Type.Literal(true), message: Type.String() });
const uploadErrors = ["INVALID_FILE_FORMAT", "FILE_TOO_LARGE", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] as const;

// Accepts the fields of a create request as well, so that the same form can be checked before it is submitted.
const dryCheck = strictFormCheck(cloneForm);

export function voiceRoutes(voices: VoiceService, speech: SpeechService, checker: SampleChecker) {
  return routes("/api/v2/voice-clones")
    .post(
      "/",
      async (context) => {
        const { caller, workspaceId } = context;
        const clone = await voices.create(caller, workspaceId, uploadOf(context), cloneFormCheck(context));
        return {
          ...ok(newCloneView(clone)),
          message: "Training has started. List your voice clones to follow its progress.",
        };
      },
      {
        upload: "voice:create",
        docs: {
          ...answersJson(Created, {
            tag: "Voices",
            summary: "Clone a voice",
            description:
              "Accepts 1 to 10 recordings of one person, each under 50 MB, and trains a voice in the background. File formats are detected from the content. If any file is invalid, the error lists all invalid files. With a global key, pass `userId` in the query.",
            errors: [...uploadErrors, "VOICE_CLONE_LIMIT_EXCEEDED"],
          }),
          requestBody: cloneFormBody(cloneForm),
        },
      },
    )
    .post(
      "/check",
      async (context) => {
        const { workspaceId, request, setIdleTimeout } = context;
        // Queueing and measuring can outlast the idle timeout of a connection; the checker enforces its own limits.
        setIdleTimeout(0);
        return ok(checkView(await checker.check(workspaceId, uploadOf(context), dryCheck, request.signal)));
      },
      {
        upload: "voice:create",
        docs: {
          ...answersJson(success(CheckView), {
            tag: "Voices",
            summary: "Check recordings",
            description:
              "A dry run of training: measures the recordings and suggests improvements. Nothing is stored. Takes a few seconds per minute of speech. Each user can run up to six checks at a time; further requests return 429.",
            errors: uploadErrors,
          }),
          requestBody: cloneFormBody({ files: cloneForm.files }),
        },
      },
    )
    .get(
      "/",
      async ({ workspaceId, query: { status = null, limit = 50, offset = 0, cursor } }) => {
        const { clones, total, matching } = await voices.page(
          workspaceId,
          status,
          limit + 1,
          offset,
          timePlaceIn(cursor),
        );
        const { items, ...page } = pageOf(clones, limit, timePlaceOf);
        return ok({ voiceClones: items.map(cloneView), total, matching, ...page });
      },
      {
        access: "voice:read",
        query: params(ListQuery),
        docs: answersJson(success(CloneList), {
          tag: "Voices",
          summary: "List voice clones",
          description:
            "Newest first. `progress` is the training progress in percent; `errorMessage` says why training failed.",
        }),
      },
    )
    .get(
      "/:voiceId",
      async ({ workspaceId, params: { voiceId } }) => {
        const clone = await voices.get(workspaceId, voiceId);
        await speech.expect(clone);
        return ok(cloneDetailView(clone, await voices.samples(workspaceId, voiceId)));
      },
      {
        access: "voice:read",
        params: params(VoiceId),
        docs: answersJson(success(CloneDetailView), {
          tag: "Voices",
          summary: "Get a voice clone with its recordings and their quality",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .put(
      "/:voiceId",
      async ({ workspaceId, params: { voiceId }, body: change }) =>
        ok(updatedCloneView(await voices.update(workspaceId, voiceId, change))),
      {
        access: "voice:update",
        params: params(VoiceId),
        body: body(CloneUpdate),
        docs: answersJson(success(UpdatedCloneView), {
          tag: "Voices",
          summary: "Update a voice clone",
          description: "Updates the name, description, labels, settings, or active state. The voice is not retrained.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/:voiceId",
      async ({ caller, workspaceId, params: { voiceId } }) => {
        const { name } = await voices.remove(caller, workspaceId, voiceId);
        return { success: true as const, message: `Voice clone ${name} and its recordings deleted.` };
      },
      {
        access: "voice:delete",
        params: params(VoiceId),
        docs: answersJson(Deleted, {
          tag: "Voices",
          summary: "Delete a voice clone",
          description:
            "Also deletes its recordings, the trained model, generated speech, and the copy held by the voice vendor.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/:voiceId/train",
      async ({ workspaceId, userId, params: { voiceId } }) =>
        ok(cloneView(await voices.retrain({ workspaceId, userId }, voiceId))),
      {
        access: "voice:update",
        params: params(VoiceId),
        docs: answersJson(success(CloneView), {
          tag: "Voices",
          summary: "Retrain a voice clone",
          description: "Uses the same recordings and the voice engine that is currently configured on the server.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/:voiceId/preview",
      async ({
        workspaceId,
        onStreamError,
        params: { voiceId },
        body: { text, settings, format = "wav" },
        request,
        set,
      }) => {
        const clone = await voices.get(workspaceId, voiceId);
        const order = { text, format, settings: settingsWith(clone.settings, settings) };
        const { mediaType, engine, content } = await speech.speak(clone, order, request.signal);
        set.headers["x-ai-generated"] = "true";
        set.headers["x-voice-engine"] = engine;
        const headers = {
          "content-type": mediaType,
          "content-disposition": disposition("inline", `${clone.name}.${format}`),
        };
        return content.kind === "file"
          ? fileAnswer(request, content.file, headers)
          : new Response(await byteStream(content.bytes, onStreamError), { headers });
      },
      {
        access: "voice:preview",
        params: params(VoiceId),
        body: body(PreviewInput),
        docs: answers(
          {
            "audio/wav": { schema: Type.String({ format: "binary" }) },
            "audio/mp4": { schema: Type.String({ format: "binary" }) },
          },
          {
            tag: "Voices",
            summary: "Generate a speech preview",
            description:
              "Returns text spoken in the cloned voice. The audio is marked as synthetic in its metadata and by the `X-AI-Generated` header. Speech is cached by text and settings. WAV audio is streamed while it is generated, so its header does not state a length.",
            errors: ["NOT_FOUND", "CONFLICT"],
            headers: {
              "X-AI-Generated": "Always `true`: the audio is synthetic.",
              "X-Voice-Engine": "Voice engine that generated the audio.",
            },
          },
        ),
      },
    );
}
