import { Type, type TSchema } from "@sinclair/typebox";
import { ApiError, invalid, notFound } from "../../platform/base/errors.ts";
import type { BlobContent } from "../../platform/blobs/model.ts";
import { routes } from "../../platform/http/route.ts";
import { disposition, fileAnswer } from "../../platform/http/files.ts";
import { announcedBytes, body, type BodySource, mediaType, params, unknownFields } from "../../platform/http/input.ts";
import { formParts } from "../../platform/http/multipart.ts";
import { answers, answersJson, success, withRanges } from "../../platform/http/openapi.ts";
import { pageFields, pageOfAll, pageQuery } from "../../platform/http/paging.ts";
import { ok } from "../../platform/http/request-context.ts";
import type { RequestContext } from "../../platform/http/request-context.ts";
import type { AudioFormat } from "../../lib/audio/pcm.ts";
import type { FormCheck } from "./form.ts";
import { CloneForm, CloneView, SampleView } from "./model.ts";
import type { Upload } from "./receive.ts";
import type { VoiceService } from "./service.ts";
import { cloneView, sampleView } from "./views.ts";

const VoiceId = Type.Object({ voiceId: Type.String() });
const SampleId = Type.Object({ voiceId: Type.String(), sampleId: Type.String() });
const SampleQuery = Type.Object(pageQuery(1000, 1000));
const SampleList = Type.Object({ samples: Type.Array(SampleView), ...pageFields });

const binary = Type.String({ format: "binary" });
/** Form fields as documented in the OpenAPI description. */
export const cloneForm = {
  ...CloneForm.properties,
  files: Type.Array(binary, {
    minItems: 1,
    maxItems: 10,
    description: "Recordings in WAV, MP3, M4A, or FLAC format, each under 50 MB.",
  }),
  consentRecording: Type.Optional(binary),
};

const sampleMediaTypes: Record<AudioFormat, string> = {
  wav: "audio/wav",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  flac: "audio/flac",
};
const soundAnswer = Object.fromEntries(Object.values(sampleMediaTypes).map((type) => [type, { schema: binary }]));

const samplesCheck = strictFormCheck({ files: cloneForm.files });

/** Routes that list, add, download, and remove the recordings of a voice clone. */
export function voiceSampleRoutes(voices: VoiceService) {
  return routes("/api/v2/voice-clones/:voiceId")
    .get(
      "/samples",
      async ({ workspaceId, params: { voiceId }, query: { limit = 1000, cursor } }) => {
        await voices.get(workspaceId, voiceId);
        const all = (await voices.samples(workspaceId, voiceId)).map(sampleView);
        const { items, ...page } = pageOfAll(all, {
          limit,
          cursor,
          idOf: ({ sampleId }) => sampleId,
          newestFirst: false,
        });
        return ok({ samples: items, ...page });
      },
      {
        access: "voice:read",
        query: params(SampleQuery),
        params: params(VoiceId),
        docs: answersJson(success(SampleList), {
          tag: "Voices",
          summary: "List the recordings of a voice clone",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/samples",
      async (context) => {
        const { workspaceId, userId, params } = context;
        const upload = uploadOf(context);
        return ok(cloneView(await voices.addSamples({ workspaceId, userId }, params.voiceId, upload, samplesCheck)));
      },
      {
        upload: "voice:update",
        params: params(VoiceId),
        docs: {
          ...answersJson(success(CloneView), {
            tag: "Voices",
            summary: "Add recordings to a voice clone",
            description:
              "Retrains the voice. The current version stays in use until training completes. A voice clone can have up to 10 recordings.",
            errors: [
              "NOT_FOUND",
              "INVALID_FILE_FORMAT",
              "FILE_TOO_LARGE",
              "PAYLOAD_TOO_LARGE",
              "UNSUPPORTED_MEDIA_TYPE",
            ],
          }),
          requestBody: cloneFormBody({ files: cloneForm.files }),
        },
      },
    )
    .get(
      "/samples/:sampleId/audio",
      async ({ workspaceId, params: { voiceId, sampleId }, request }) => {
        const { sample, file } = await voices.original(workspaceId, voiceId, sampleId);
        return soundFile(request, file, sample.format, sample.fileName, ["voice sample", sampleId]);
      },
      {
        access: "voice:read",
        params: params(SampleId),
        docs: withRanges(
          answers(soundAnswer, {
            tag: "Voices",
            summary: "Download a recording",
            description: "Returns the file as it was uploaded. Supports Range requests, so that players can seek.",
            errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
          }),
        ),
      },
    )
    .delete(
      "/samples/:sampleId",
      async ({ workspaceId, userId, params: { voiceId, sampleId } }) =>
        ok(cloneView(await voices.removeSample({ workspaceId, userId }, voiceId, sampleId))),
      {
        access: "voice:update",
        params: params(SampleId),
        docs: answersJson(success(CloneView), {
          tag: "Voices",
          summary: "Remove a recording from a voice clone",
          description: "Retrains the voice without the recording. The last recording cannot be removed.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .get(
      "/consent/audio",
      async ({ workspaceId, params: { voiceId }, request }) => {
        const { consent, file } = await voices.consentRecording(workspaceId, voiceId);
        return soundFile(request, file, consent.recording!.format, "consent", ["consent recording", voiceId]);
      },
      {
        access: "voice:read",
        params: params(VoiceId),
        docs: withRanges(
          answers(soundAnswer, {
            tag: "Voices",
            summary: "Download the consent recording",
            errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
          }),
        ),
      },
    );
}

/** The unread form of a request. Throws 415 right away if the request is not a form. */
export function uploadOf(source: BodySource): Upload {
  const { request } = source;
  if (mediaType(request) !== "multipart/form-data")
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", {
      message: "Send the recordings as multipart/form-data, each in a field named `files`.",
    });
  return { parts: formParts(source), announcedBytes: announcedBytes(request) };
}

const whole = body(CloneForm);
const soFar = body(Type.Partial(CloneForm));

/** Checks the form defined by the specification: unknown fields are listed as warnings in the response. */
export function cloneFormCheck(context: Pick<RequestContext, "warn">): FormCheck {
  return (values, isWhole) => {
    context.warn(unknownFields(Type.Object(cloneForm), values, maxUnknown));
    return validForm(values, isWhole);
  };
}

/** Checks a form of our own API with the given fields: unknown fields are rejected. */
export function strictFormCheck(fields: Record<string, TSchema>): FormCheck {
  const schema = Type.Object(fields);
  return (values, isWhole) => {
    const unknown = unknownFields(schema, values, maxUnknown);
    if (unknown.length > 0) throw invalid(unknown);
    return validForm(values, isWhole);
  };
}

const maxUnknown = 20;

function validForm(values: Record<string, unknown>, isWhole: boolean): Partial<CloneForm> {
  return (isWhole ? whole : soFar)["~standard"].validate(values).value;
}

/** The OpenAPI request body of a form. */
export function cloneFormBody(fields: Record<string, TSchema>) {
  const schema = Type.Object(fields);
  const contentType = "application/json";
  const encoding = Object.fromEntries(
    ["settings", "labels", "consent"].filter((name) => name in fields).map((name) => [name, { contentType }]),
  );
  return { required: true, content: { "multipart/form-data": { schema, encoding } } };
}

/** Streams an audio file. Throws NOT_FOUND if the file was deleted by hand. */
function soundFile(
  request: Request,
  file: BlobContent | null,
  format: AudioFormat,
  fileName: string,
  what: [string, string],
) {
  const headers = {
    "content-type": sampleMediaTypes[format],
    "content-disposition": disposition("attachment", fileName),
  };
  if (file === null) throw notFound(...what);
  return fileAnswer(request, file, headers);
}
