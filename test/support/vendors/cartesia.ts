import { formIn, jsonIn } from "./loopback.ts";
import { openWav, samplesIn, startSpeechVendor, textIn, wavAnswer, type SpeechVendor } from "./speech.ts";

export type CartesiaVendor = SpeechVendor & {
  apiKey: string;
  cloned: { id: string; description: string; language: string }[];
};

const pageSize = 2;

/**
 * Cartesia (docs.cartesia.ai; cartesia-js): clones from one clip, a list by pages, speech as WAV. In this version of the
 * API errors are plain text, "Title: Message".
 */
export async function startCartesia(): Promise<CartesiaVendor> {
  const apiKey = "sk_car_secret";
  const cloned: CartesiaVendor["cloned"] = [];
  const refuse = (status: number, text: string) =>
    new Response(text, { status, headers: { "content-type": "text/plain" } });

  const vendor = await startSpeechVendor(async (request, { voices, spoken }) => {
    if (request.headers.get("authorization") !== `Bearer ${apiKey}`)
      return refuse(401, "Unauthorized: Invalid API key.");
    if (request.headers.get("cartesia-version") !== "2025-04-16") return refuse(400, "Bad request: no such version.");
    const { pathname, searchParams } = new URL(request.path, "http://cartesia");
    if (request.method === "GET" && pathname === "/voices/") {
      const kept = cloned.filter(({ id }) => voices.has(id));
      const from = kept.findIndex(({ id }) => id === searchParams.get("starting_after")) + 1;
      // A page is smaller here than anybody may ask for, so that lists of a few have several.
      const page = kept.slice(from, from + pageSize);
      return Response.json({ data: page, has_more: from + pageSize < kept.length });
    }
    if (pathname === "/voices/clone") {
      const form = await formIn(request);
      const clip = form.get("clip");
      if (!(clip instanceof File)) return refuse(400, "Bad request: clip is required.");
      const id = `7e0d6e4c-0000-4000-8000-${String(cloned.length + 1).padStart(12, "0")}`;
      voices.set(id, await clip.bytes());
      const entry = { id, description: textIn(form, "description"), language: textIn(form, "language") };
      cloned.push(entry);
      return Response.json({ ...entry, name: form.get("name"), is_public: false, user_id: "user_1" });
    }
    if (request.method === "DELETE")
      return voices.delete(pathname.split("/")[2] ?? "")
        ? new Response(null, { status: 204 })
        : refuse(404, "Voice not found: there is no such voice.");
    if (pathname !== "/tts/bytes") return refuse(404, "Not found: there is no such route.");
    const { transcript, voice, ...rest } = jsonIn(request) as {
      transcript: string;
      voice: { mode: string; id: string };
    };
    const recording = voices.get(voice.mode === "id" ? voice.id : "");
    if (recording === undefined) return refuse(404, "Voice not found: there is no such voice.");
    spoken.push({ text: transcript, request: rest });
    return wavAnswer(openWav(samplesIn(recording)));
  });
  return Object.assign(vendor, { apiKey, cloned });
}
