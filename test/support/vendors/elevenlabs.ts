import { formIn, jsonIn } from "./loopback.ts";
import { samplesIn, startSpeechVendor, textIn, type SpeechVendor } from "./speech.ts";

export type ElevenlabsVendor = SpeechVendor & {
  apiKey: string;
  /** What each voice was added with. */
  added: { id: string; name: string; description: string; labels: string | null; files: string[] }[];
  /** The next voice that is added must be verified by a person. */
  verifyNext(): void;
};

/**
 * ElevenLabs (elevenlabs.io/docs/api-reference; elevenlabs-python): voices are added with samples, listed, deleted, and
 * speak as PCM. Errors are `{detail: {status, message}}`, or a list of fields.
 */
export async function startElevenlabs(): Promise<ElevenlabsVendor> {
  const apiKey = "xi-secret-of-elevenlabs";
  const added: ElevenlabsVendor["added"] = [];
  let mustVerify = false;
  const refuse = (status: number, code: string, message: string) =>
    Response.json({ detail: { status: code, message } }, { status });

  const vendor = await startSpeechVendor(async (request, { voices, spoken }) => {
    if (request.headers.get("xi-api-key") !== apiKey) return refuse(401, "invalid_api_key", "Invalid API key");
    const { pathname, searchParams } = new URL(request.path, "http://elevenlabs");
    const id = decodeURIComponent(pathname.split("/")[3] ?? "");
    if (request.method === "GET" && pathname === "/v2/voices") {
      const wanted = searchParams.get("search") ?? "";
      const found = added.filter((voice) => voices.has(voice.id) && voice.description.includes(wanted));
      return Response.json({
        voices: found.map((voice) => ({ voice_id: voice.id, name: voice.name, description: voice.description })),
        has_more: false,
        total_count: found.length,
        next_page_token: null,
      });
    }
    if (pathname === "/v1/voices/add") {
      const form = await formIn(request);
      const files = form.getAll("files") as File[];
      if (!form.has("name") || files.length === 0)
        return Response.json(
          { detail: [{ loc: ["body", "name"], msg: "field required", type: "missing" }] },
          { status: 422 },
        );
      const voiceId = `voice${added.length + 1}`;
      voices.set(voiceId, await files[0]!.bytes());
      added.push({
        id: voiceId,
        name: textIn(form, "name"),
        description: textIn(form, "description"),
        labels: form.get("labels") as string | null,
        files: files.map(({ name }) => name),
      });
      const verifies = mustVerify;
      mustVerify = false;
      return Response.json({ voice_id: voiceId, requires_verification: verifies });
    }
    if (request.method === "DELETE" && voices.delete(id)) return Response.json({ status: "ok" });
    const voice = voices.get(id);
    if (voice === undefined) return refuse(400, "voice_not_found", `A voice with the voice_id ${id} was not found.`);
    if (searchParams.get("output_format") !== "pcm_24000") return refuse(400, "invalid_output_format", "Not here");
    const { text, ...rest } = jsonIn(request);
    spoken.push({ text: String(text), request: rest });
    return new Response(new Uint8Array(samplesIn(voice)), { headers: { "content-type": "audio/pcm" } });
  });
  return Object.assign(vendor, { apiKey, added, verifyNext: () => void (mustVerify = true) });
}
