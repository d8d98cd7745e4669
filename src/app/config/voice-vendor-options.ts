import type { Option } from "./sources.ts";
import { baseUrl, text, type Parse } from "./values.ts";

/** What the engines need to know that make voices elsewhere. Each works once its address or its key is set. */
export const voiceVendorOptions = {
  voiceLanguage: option({
    argument: "LANGUAGE",
    parse: language,
    default: "en",
    description:
      "Language (en, de, pt-br) of voices without the label `language`, for engines that must be told. The engine local speaks English only.",
  }),
  elevenlabsApiKey: option<string | null>({
    argument: "KEY",
    parse: secretText,
    default: null,
    secret: true,
    description:
      "API key of your account at ElevenLabs; it must be allowed text to speech, and to read and write voices.",
  }),
  elevenlabsModel: option({
    argument: "MODEL",
    parse: name,
    default: "eleven_multilingual_v2",
    description: "Model that ElevenLabs speaks with.",
  }),
  elevenlabsUrl: option({
    argument: "URL",
    parse: baseUrl,
    default: "https://api.elevenlabs.io",
    description: "Address of ElevenLabs; change it for another region, or a proxy of your own.",
  }),
  cartesiaApiKey: option<string | null>({
    argument: "KEY",
    parse: secretText,
    default: null,
    secret: true,
    description: "API key of your account at Cartesia.",
  }),
  cartesiaModel: option({
    argument: "MODEL",
    parse: name,
    default: "sonic-3",
    description: "Model that Cartesia speaks with.",
  }),
  cartesiaUrl: option({
    argument: "URL",
    parse: baseUrl,
    default: "https://api.cartesia.ai",
    description: "Address of Cartesia; change it only for a proxy of your own.",
  }),
  chatterboxUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description: "Address of your chatterbox-tts-api (travisvn), such as http://127.0.0.1:4123.",
  }),
  chatterboxDevnenUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description: "Address of your Chatterbox-TTS-Server (devnen), such as http://127.0.0.1:8004.",
  }),
  pocketTtsUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description: "Address of your `pocket-tts serve`, such as http://127.0.0.1:8000.",
  }),
  xttsUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description: "Address of your xtts-api-server, such as http://127.0.0.1:8020.",
  }),
  xttsSpeakersDir: option<string | null>({
    argument: "DIRECTORY",
    parse: text,
    default: null,
    description:
      "The folder that your xtts-api-server takes recordings from (its --speaker-folder), as it is seen here.",
  }),
  openaiSpeechUrl: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description:
      "Address of a server that speaks as OpenAI's does, with its version: http://127.0.0.1:8091/v1 or https://api.openai.com/v1.",
  }),
  openaiSpeechApiKey: option<string | null>({
    argument: "KEY",
    parse: secretText,
    default: null,
    secret: true,
    description: "API key of that server, if it wants one.",
  }),
  openaiSpeechModel: option({
    argument: "MODEL",
    parse: name,
    default: "tts-1",
    description: "Model that this server speaks with.",
  }),
  openaiSpeechVoice: option<string | null>({
    argument: "NAME",
    parse: name,
    default: null,
    description: "A ready-made voice of this server, for one that can't clone; every voice of its engine speaks in it.",
  }),
};

type VendorValues = {
  [K in keyof typeof voiceVendorOptions]: (typeof voiceVendorOptions)[K] extends Option<infer V> ? V : never;
};

/** What the engines are made from; see `createVoiceEngines`. */
export type VoiceVendorConfig = Readonly<Omit<VendorValues, "voiceLanguage"> & { language: string }>;

/** Takes the values of the voice vendors out of all values. */
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

/** Never repeats what came. */
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
