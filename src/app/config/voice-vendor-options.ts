import type { Option } from "./sources.ts";
import { baseUrl, text, type Parse } from "./values.ts";

/** Options of the external voice engines. Each is available once its URL or API key is set. */
export const voiceVendorOptions = {
  voiceLanguage: option({
    argument: "LANGUAGE",
    parse: language,
    default: "en",
    description:
      "Language (such as en, de, or pt-br) of voices without the label `language`, for engines that require one. The engine local speaks only English.",
  }),
  elevenlabsApiKey: option<string | null>({
    argument: "KEY",
    parse: secretText,
    default: null,
    secret: true,
    description: "API key for ElevenLabs, with permission for text to speech and for reading and writing voices.",
  }),
  elevenlabsModel: option({
    argument: "MODEL",
    parse: name,
    default: "eleven_multilingual_v2",
    description: "ElevenLabs model.",
  }),
  elevenlabsUrl: option({
    argument: "URL",
    parse: baseUrl,
    default: "https://api.elevenlabs.io",
    description: "URL of ElevenLabs. Change it for another region or a proxy.",
  }),
  cartesiaApiKey: option<string | null>({
    argument: "KEY",
    parse: secretText,
    default: null,
    secret: true,
    description: "API key for Cartesia.",
  }),
  cartesiaModel: option({
    argument: "MODEL",
    parse: name,
    default: "sonic-3",
    description: "Cartesia model.",
  }),
  cartesiaUrl: option({
    argument: "URL",
    parse: baseUrl,
    default: "https://api.cartesia.ai",
    description: "URL of Cartesia. Change it only if you use a proxy.",
  }),
  chatterboxUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description: "URL of your chatterbox-tts-api (travisvn), such as http://127.0.0.1:4123.",
  }),
  chatterboxDevnenUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description: "URL of your Chatterbox-TTS-Server (devnen), such as http://127.0.0.1:8004.",
  }),
  pocketTtsUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description: "URL of your `pocket-tts serve`, such as http://127.0.0.1:8000.",
  }),
  xttsUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description: "URL of your xtts-api-server, such as http://127.0.0.1:8020.",
  }),
  xttsSpeakersDir: option<string | null>({
    argument: "DIRECTORY",
    parse: text,
    default: null,
    description:
      "Directory from which your xtts-api-server reads recordings (its --speaker-folder), as a path on this machine.",
  }),
  openaiSpeechUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description:
      "URL of a server compatible with OpenAI's speech API, including the version: http://127.0.0.1:8091/v1 or https://api.openai.com/v1.",
  }),
  openaiSpeechApiKey: option<string | null>({
    argument: "KEY",
    parse: secretText,
    default: null,
    secret: true,
    description: "API key for the OpenAI-compatible server, if it requires one.",
  }),
  openaiSpeechModel: option({
    argument: "MODEL",
    parse: name,
    default: "tts-1",
    description: "Model of the OpenAI-compatible server.",
  }),
  openaiSpeechVoice: option<string | null>({
    argument: "NAME",
    parse: name,
    default: null,
    description:
      "Built-in voice of the OpenAI-compatible server, for servers that cannot clone voices. Every voice of this engine then uses it.",
  }),
};

type VendorValues = {
  [K in keyof typeof voiceVendorOptions]: (typeof voiceVendorOptions)[K] extends Option<infer V> ? V : never;
};

/** Settings for `createVoiceEngines`. */
export type VoiceVendorConfig = Readonly<Omit<VendorValues, "voiceLanguage"> & { language: string }>;

/** Splits the values of the voice vendors off from all values. */
export function voiceVendorConfig<T extends VendorValues>(values: T) {
  const { voiceLanguage: language, elevenlabsApiKey, elevenlabsModel, elevenlabsUrl, ...others } = values;
  const { cartesiaApiKey, cartesiaModel, cartesiaUrl, chatterboxUrl, chatterboxDevnenUrl, ...more } = others;
  const { pocketTtsUrl, xttsUrl, xttsSpeakersDir, openaiSpeechUrl, openaiSpeechApiKey, ...last } = more;
  const { openaiSpeechModel, openaiSpeechVoice, ...rest } = last;
  const elevenlabs = { elevenlabsApiKey, elevenlabsModel, elevenlabsUrl };
  const cartesia = { cartesiaApiKey, cartesiaModel, cartesiaUrl };
  const own = { chatterboxUrl, chatterboxDevnenUrl, pocketTtsUrl, xttsUrl, xttsSpeakersDir };
  const openai = { openaiSpeechUrl, openaiSpeechApiKey, openaiSpeechModel, openaiSpeechVoice };
  const voiceVendors: VoiceVendorConfig = Object.freeze({ language, ...elevenlabs, ...cartesia, ...own, ...openai });
  return { voiceVendors, rest };
}

/** Its error message never repeats the value. */
function secretText(value: string): string {
  if (!/^[\x21-\x7e]{8,2000}$/.test(value))
    throw new RangeError("Expected a secret of 8 to 2000 characters, without spaces.");
  return value;
}

function name(value: string): string {
  if (!/^[\x21-\x7e]{1,200}$/.test(value))
    throw new RangeError(`Expected a name of 1 to 200 characters without spaces, got "${value.slice(0, 80)}".`);
  return value;
}

function language(value: string): string {
  const lower = value.toLowerCase();
  if (!/^[a-z]{2}(-[a-z]{2,4})?$/.test(lower))
    throw new RangeError(`Expected a language such as en, de or pt-br, got "${value.slice(0, 80)}".`);
  return lower;
}

/** Gives an option the type of its values. */
function option<T>(definition: { parse: Parse<T> } & Option<T>): Option<T> {
  return definition;
}
