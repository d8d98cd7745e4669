import { formIn, jsonIn } from "./loopback.ts";
import { notFound, startSpeechVendor, wavAnswer, type SpeechVendor } from "./speech.ts";

/**
 * Chatterbox-TTS-Server (github.com/devnen/Chatterbox-TTS-Server): reference recordings by file name, which can be added
 * but neither replaced nor deleted; `/tts` clones one of them. Errors are `{detail: "..."}`, those of an upload a list.
 */
export async function startChatterboxDevnen(): Promise<SpeechVendor> {
  return await startSpeechVendor(async (request, { voices, spoken }) => {
    if (request.path === "/get_reference_files") return Response.json([...voices.keys()]);
    if (request.path === "/upload_reference") {
      const [file] = (await formIn(request)).getAll("files") as File[];
      const name = file?.name.replace(/[^\w.-]/g, "_") ?? "";
      const error = /\.(wav|mp3)$/.test(name) ? null : "Invalid file type. Only .wav and .mp3 are allowed.";
      if (file !== undefined && error === null && !voices.has(name)) voices.set(name, await file.bytes());
      return Response.json(
        {
          message: "Processed 1 file(s).",
          uploaded_files: error === null ? [name] : [],
          all_reference_files: [...voices.keys()],
          errors: error === null ? [] : [{ filename: name, error }],
        },
        { status: error === null ? 200 : 400 },
      );
    }
    if (request.path !== "/tts") return notFound("Not Found");
    const { text, voice_mode: mode, reference_audio_filename: name, ...rest } = jsonIn(request);
    const recording = voices.get(mode === "clone" ? String(name) : "");
    if (recording === undefined) return notFound(`Reference audio file '${String(name)}' not found.`);
    spoken.push({ text: String(text), request: rest });
    return wavAnswer(recording);
  });
}
