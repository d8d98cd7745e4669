import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { jsonIn } from "./loopback.ts";
import { notFound, startSpeechVendor, wavAnswer, type SpeechVendor } from "./speech.ts";

/**
 * xtts-api-server (github.com/daswer123/xtts-api-server): speakers are the WAV files of a folder. Whatever goes wrong is
 * answered with 500 and "Error: ...". A text that is the path of a .txt file is read from the disk.
 */
export async function startXtts(speakersDir: string): Promise<SpeechVendor> {
  const error = (message: string) => Response.json({ detail: `Error: ${message}` }, { status: 500 });
  return await startSpeechVendor((request, { spoken }) => {
    if (request.path === "/speakers_list")
      return Response.json(
        readdirSync(speakersDir)
          .filter((name) => name.endsWith(".wav"))
          .map((name) => name.slice(0, -4)),
      );
    if (request.path !== "/tts_to_audio/") return notFound("Not Found");
    const { text, speaker_wav: speaker, language } = jsonIn(request);
    if (!["en", "de", "zh-cn"].includes(String(language)))
      return error("400: Language code sent is either unsupported or misspelled.");
    const path = join(speakersDir, `${String(speaker)}.wav`);
    if (!existsSync(path)) return error(`Speaker ${String(speaker)} not found.`);
    if (String(text).endsWith(".txt")) return error("it would have read a file");
    spoken.push({ text: String(text), request: { language } });
    return wavAnswer(readFileSync(path));
  });
}
