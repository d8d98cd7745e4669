import { formIn, jsonIn } from "./loopback.ts";
import { notFound, samplesIn, startSpeechVendor, wavAnswer, openWav, type SpeechVendor } from "./speech.ts";

const mostBytes = 10 * 2 ** 20;
const fault = (status: number, message: string, type: string) =>
  Response.json({ detail: { error: { message, type } } }, { status });

/**
 * chatterbox-tts-api (github.com/travisvn/chatterbox-tts-api): a library of voices by name, and speech as WAV. A voice
 * that it does not have is spoken in the default one, as if nothing were wrong.
 */
export async function startChatterbox(): Promise<SpeechVendor> {
  return await startSpeechVendor(async (request, { voices, spoken }) => {
    const path = decodeURIComponent(request.path);
    const name = path.split("/")[3] ?? "";
    if (path === "/health") return Response.json({ status: "healthy", model_loaded: true, device: "cpu" });
    if (path === "/v1/voices" && request.method === "GET")
      return Response.json({ detail: "Method Not Allowed" }, { status: 405 });
    if (path === "/audio/voices")
      return Response.json({ voices: [...voices.keys()].map((each) => ({ name: each })), count: voices.size });
    if (path === "/v1/voices" && request.method === "POST") {
      const form = await formIn(request);
      const [voiceName, file] = [form.get("voice_name"), form.get("voice_file")];
      if (typeof voiceName !== "string" || !(file instanceof File))
        return Response.json(
          { detail: [{ type: "missing", loc: ["body", "voice_name"], msg: "Field required" }] },
          { status: 422 },
        );
      if (!/\.(mp3|wav|flac|m4a|ogg)$/.test(file.name) || file.size > mostBytes)
        return fault(400, "Unsupported audio format", "invalid_request_error");
      if (form.get("language") !== "en")
        return fault(400, "Only English (en) is supported when not using multilingual model", "invalid_request_error");
      if (voices.has(voiceName)) return fault(409, `Voice '${voiceName}' already exists`, "voice_exists_error");
      voices.set(voiceName, await file.bytes());
      const voice = {
        name: voiceName,
        filename: file.name,
        file_size: file.size,
        upload_date: "2026-01-05",
        language: "en",
      };
      return Response.json({ message: "Voice uploaded successfully", voice }, { status: 201 });
    }
    if (path.startsWith("/v1/voices/")) {
      const isThere = request.method === "DELETE" ? voices.delete(name) : voices.has(name);
      return isThere
        ? Response.json({ voice: { name } })
        : fault(404, `Voice '${name}' not found`, "voice_not_found_error");
    }
    if (path !== "/v1/audio/speech") return notFound("Not Found");
    const { input, voice, ...rest } = jsonIn(request);
    const text = String(input);
    if (text.length > 3000) {
      const msg = "String should have at most 3000 characters";
      return Response.json({ detail: [{ type: "string_too_long", loc: ["body", "input"], msg }] }, { status: 422 });
    }
    spoken.push({ text, request: rest });
    const recording = voices.get(String(voice));
    return wavAnswer(recording === undefined ? openWav(Buffer.alloc(1000, 99)) : openWav(samplesIn(recording)));
  });
}
