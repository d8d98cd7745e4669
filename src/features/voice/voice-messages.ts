import { ApiError } from "../../platform/base/errors.ts";
import type { Speech, SpeechProvider } from "../network/speech-provider.ts";
import type { SpeechService } from "./speech-service.ts";
import { speechMediaTypes } from "./speech-service.ts";
import type { VoiceStore } from "./store.ts";

/** Speaks messages in voices of the user, when they are due. */
export class VoiceMessages implements SpeechProvider {
  readonly #store: VoiceStore;
  readonly #speech: SpeechService;

  constructor(store: VoiceStore, speech: SpeechService) {
    this.#store = store;
    this.#speech = speech;
  }

  /** A sentence on why the voice can't be used, or null. */
  async problem(userId: string, voiceId: string): Promise<string | null> {
    const clone = await this.#store.get(userId, voiceId);
    return clone === null ? `There is no voice clone with id ${voiceId}.` : this.#speech.problemOf(clone);
  }

  /** As M4A. "refused" also for what may work later; whoever asks tries again. */
  async speak(userId: string, voiceId: string, text: string, signal: AbortSignal): Promise<Speech> {
    const clone = await this.#store.get(userId, voiceId);
    if (clone === null) return { kind: "refused", reason: `There is no voice clone with id ${voiceId}.` };
    try {
      const { bytes, seconds } = await this.#speech.render(clone, text, signal);
      return { kind: "spoken", audio: { bytes, mediaType: speechMediaTypes.m4a, seconds } };
    } catch (error) {
      if (error instanceof ApiError) return { kind: "refused", reason: error.message };
      throw error;
    }
  }
}
