import { formIn, jsonIn } from "./loopback.ts";
import { openWav, samplesIn, startSpeechVendor, textIn, wavAnswer, type SpeechVendor } from "./speech.ts";

/**
 * A server that speaks as OpenAI's does (platform.openai.com/docs/api-reference/audio). With "ids" it names voices as
 * OpenAI, with "names" as vLLM-Omni; with "none" it has ready-made voices only, as most do.
 */
export async function startOpenaiSpeech(cloning: "ids" | "names" | "none"): Promise<SpeechVendor & { apiKey: string }> {
  const apiKey = "sk-secret-of-openai";
  const nameOf = new Map<string, string>();
  const refuse = (status: number, message: string, code: string | null) =>
    Response.json({ error: { message, type: "invalid_request_error", param: null, code } }, { status });

  const vendor = await startSpeechVendor(async (request, { voices, spoken }) => {
    if (request.headers.get("authorization") !== `Bearer ${apiKey}`)
      return refuse(
        401,
        `Incorrect API key provided: ${request.headers.get("authorization") ?? ""}.`,
        "invalid_api_key",
      );
    if (request.path === "/v1/models")
      return Response.json({ object: "list", data: [{ id: "tts-1", object: "model" }] });
    if (request.path.startsWith("/v1/audio/voices") && cloning !== "none") {
      if (request.method === "DELETE")
        return voices.delete(decodeURIComponent(request.path.split("/")[4] ?? ""))
          ? Response.json({ deleted: true })
          : refuse(404, "No such voice", "not_found");
      if (request.method === "GET") {
        const list = [...voices.keys()];
        return Response.json(
          cloning === "ids"
            ? { object: "list", data: list.map((id) => ({ id, name: nameOf.get(id) })) }
            : { voices: list },
        );
      }
      const form = await formIn(request);
      const [name, sample] = [textIn(form, "name"), form.get("audio_sample")];
      if (!form.has("consent") || !(sample instanceof File)) return refuse(400, "Missing consent", "missing_consent");
      const key = cloning === "ids" ? `voice_${nameOf.size + 1}` : name;
      voices.set(key, await sample.bytes());
      nameOf.set(key, name);
      return Response.json(
        cloning === "ids" ? { id: key, object: "audio.voice", name } : { success: true, voice: { name } },
      );
    }
    if (request.path !== "/v1/audio/speech") return new Response("Not Found", { status: 404 });
    const { input, voice, ...rest } = jsonIn(request) as { input: string; voice: string | { id: string } };
    const recording = voices.get(typeof voice === "string" ? voice : voice.id);
    if (recording === undefined) return refuse(400, "Unknown voice", "invalid_voice");
    if (input.length > 4096) return refuse(400, "Input should have at most 4096 characters", null);
    spoken.push({ text: input, request: rest });
    return wavAnswer(openWav(samplesIn(recording)));
  });
  return Object.assign(vendor, { apiKey });
}
