import { ApiError } from "../../platform/base/errors.ts";
import type { Speech, SpeechProvider } from "../network/speech-provider.ts";
import type { SpeechService } from "./speech-service.ts";
import { speechMediaTypes } from "./speech-service.ts";
import type { VoiceStore } from "./store.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** Generates the audio of voice messages in the user's voices. */
export class VoiceMessages implements SpeechProvider {
  readonly #store: VoiceStore;
  readonly #speech: SpeechService;

  constructor(store: VoiceStore, speech: SpeechService) {
    this.#store = store;
    this.#speech = speech;
  }

  /** Why the voice cannot be used, as a sentence, or null if it can. */
  async problem(workspaceId: WorkspaceId, voiceId: string): Promise<string | null> {
    const clone = await this.#store.get(workspaceId, voiceId);
    return clone === null ? `Voice clone ${voiceId} not found.` : this.#speech.problemOf(clone);
  }

  /** Returns M4A audio. Also returns "refused" for temporary problems; callers retry. */
  async speak(workspaceId: WorkspaceId, voiceId: string, text: string, signal: AbortSignal): Promise<Speech> {
    const clone = await this.#store.get(workspaceId, voiceId);
    if (clone === null) return { kind: "refused", reason: `Voice clone ${voiceId} not found.` };
    try {
      const { bytes, seconds } = await this.#speech.render(clone, text, signal);
      return { kind: "spoken", audio: { bytes, mediaType: speechMediaTypes.m4a, seconds } };
    } catch (error) {
      if (error instanceof ApiError) return { kind: "refused", reason: error.message };
      throw error;
    }
  }
}
