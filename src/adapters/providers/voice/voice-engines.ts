import type { Clock } from "../../../platform/base/clock.ts";
import type { VoiceEngineName } from "../../../features/voice/model.ts";
import type { VoiceEngine } from "../../../features/voice/voice-engine.ts";
import { createHttpClient } from "../http.ts";
import { type HttpClient } from "../../../lib/guarded-http/http-client.ts";
import { createCartesiaEngine } from "./cartesia.ts";
import { createChatterboxDevnenEngine } from "./chatterbox-devnen.ts";
import { createChatterboxEngine } from "./chatterbox.ts";
import { createElevenlabsEngine } from "./elevenlabs.ts";
import { createOpenaiSpeechEngine } from "./openai-speech.ts";
import { createPocketTtsEngine } from "./pocket-tts.ts";
import { createXttsEngine } from "./xtts.ts";

/** Settings of the operator. Null = not set, so the engine of that name only reports what it requires. */
export type VoiceVendorConfig = Readonly<{
  elevenlabsUrl: string;
  elevenlabsApiKey: string | null;
  elevenlabsModel: string;
  cartesiaUrl: string;
  cartesiaApiKey: string | null;
  cartesiaModel: string;
  chatterboxUrl: string | null;
  chatterboxDevnenUrl: string | null;
  pocketTtsUrl: string | null;
  xttsUrl: string | null;
  /** The folder from which the XTTS server reads recordings, as a path for this process. */
  xttsSpeakersDir: string | null;
  openaiSpeechUrl: string | null;
  openaiSpeechApiKey: string | null;
  openaiSpeechModel: string;
  /** A built-in voice that all clones use. */
  openaiSpeechVoice: string | null;
  /** Language of clones without the label `language`, as two letters. */
  language: string;
}>;

/** Creates all engines except the built-in one, without sending requests or opening anything. */
export function createVoiceEngines(
  config: VoiceVendorConfig,
  clock: Clock,
): Record<Exclude<VoiceEngineName, "local">, VoiceEngine> {
  const { language } = config;
  const world = (url: string | null) => ({ clock, http: clientFor(url, clock) });
  const engine = <C extends { url: string | null }>(
    create: (settings: C, world: { clock: Clock; http: HttpClient }) => VoiceEngine,
    settings: C,
  ): VoiceEngine => create(settings, world(settings.url));
  return {
    elevenlabs: engine(createElevenlabsEngine, {
      url: config.elevenlabsUrl,
      apiKey: config.elevenlabsApiKey,
      model: config.elevenlabsModel,
    }),
    cartesia: engine(createCartesiaEngine, {
      url: config.cartesiaUrl,
      apiKey: config.cartesiaApiKey,
      model: config.cartesiaModel,
      language,
    }),
    chatterbox: engine(createChatterboxEngine, { url: config.chatterboxUrl, language }),
    "chatterbox-devnen": engine(createChatterboxDevnenEngine, { url: config.chatterboxDevnenUrl, language }),
    "pocket-tts": engine(createPocketTtsEngine, { url: config.pocketTtsUrl }),
    xtts: engine(createXttsEngine, { url: config.xttsUrl, speakersDir: config.xttsSpeakersDir, language }),
    "openai-speech": engine(createOpenaiSpeechEngine, {
      url: config.openaiSpeechUrl,
      apiKey: config.openaiSpeechApiKey,
      model: config.openaiSpeechModel,
      voice: config.openaiSpeechVoice,
    }),
  };
}

/** A URL set by the operator may be private; users cannot set one. */
function clientFor(url: string | null, clock: Clock): HttpClient {
  const host = URL.parse(url ?? "")?.hostname.replace(/^\[|\]$/g, "");
  return createHttpClient({ clock, allowPrivate: host ? [host] : [] });
}
