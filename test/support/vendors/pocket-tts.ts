import { formIn } from "./loopback.ts";
import { notFound, openWav, samplesIn, startSpeechVendor, textIn, wavAnswer, type SpeechVendor } from "./speech.ts";

/**
 * `pocket-tts serve` (github.com/kyutai-labs/pocket-tts): a form with the text and the voice to speak it in; nothing is
 * kept. A `voice_url` would be fetched by the server.
 */
export async function startPocketTts(): Promise<SpeechVendor> {
  return await startSpeechVendor(async (request, { spoken }) => {
    if (request.path === "/health") return Response.json({ status: "healthy" });
    if (request.path !== "/tts") return notFound("Not Found");
    const form = await formIn(request);
    const [text, voice] = [textIn(form, "text"), form.get("voice_wav")];
    if (text.trim() === "") return Response.json({ detail: "Text cannot be empty" }, { status: 400 });
    if (form.has("voice_url") || !(voice instanceof File))
      return Response.json({ detail: "Cannot provide both voice_url and voice_wav" }, { status: 400 });
    spoken.push({ text, request: Object.fromEntries([...form.keys()].map((key) => [key, true])) });
    return wavAnswer(openWav(samplesIn(await voice.bytes())));
  });
}
