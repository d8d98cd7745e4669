import { pause } from "../../../lib/concurrency/pause.ts";
import type { ThreadPort } from "../../../threads.ts";
import type { AudioTags } from "../../../lib/audio/tags.ts";
import type { M4aEncoder } from "../../../lib/audio/mp4/encode-m4a.ts";
import type { Speaker } from "../../../lib/voice-engine/speaker.ts";
import type { VoiceModel } from "../../../lib/voice-engine/voice-model.ts";
import type { VoiceSettings } from "../model.ts";

/** Requests have an ID, which responses repeat. They are processed one at a time and in order, except for `stop`. */
export type SpeakingRequest =
  /** `model`: the voice as JSON. */
  | { kind: "speak"; id: number; model: string; text: string; settings: VoiceSettings }
  /** Samples to append to a file being encoded; the first request creates it with this sample rate. */
  | { kind: "encode"; id: number; sampleRate: number; samples: Float32Array }
  | { kind: "finish"; id: number; tags: AudioTags }
  /** The requester is no longer listening. */
  | { kind: "stop"; id: number };

export type SpeakingAnswer =
  | { kind: "block"; id: number; sampleRate: number; samples: Float32Array }
  | { kind: "spoken"; id: number }
  | { kind: "file"; id: number; bytes: Uint8Array }
  | { kind: "refused"; id: number; reason: string }
  | { kind: "failed"; id: number; message: string };

/** The task "voice-speaking": speaks with voices of the built-in engine, and encodes speech of any engine. */
export type SpeakingThread = {
  task: "voice-speaking";
  init: null;
  port: ThreadPort<SpeakingRequest, SpeakingAnswer>;
};

/** Keeps expensive assets and the most recent voice loaded. */
export function runSpeakingThread(port: SpeakingThread["port"]): void {
  const voice = new LoadedVoice();
  const encoders = new Map<number, M4aEncoder>();
  const stopped = new Set<number>();
  let last: Promise<void> = Promise.resolve();

  async function serve(request: Exclude<SpeakingRequest, { kind: "stop" }>): Promise<void> {
    if (stopped.delete(request.id)) return;
    switch (request.kind) {
      case "speak": {
        const { sampleRate, blocks } = await voice.speak(request);
        for (const samples of blocks) {
          port.post({ kind: "block", id: request.id, sampleRate, samples });
          await pause(); // lets a stop request arrive
          if (stopped.delete(request.id)) return;
        }
        return port.post({ kind: "spoken", id: request.id });
      }
      case "encode": {
        const { M4aEncoder } = await import("../../../lib/audio/mp4/encode-m4a.ts");
        const encoder = encoders.get(request.id) ?? new M4aEncoder(request.sampleRate);
        encoders.set(request.id, encoder);
        return encoder.add(request.samples);
      }
      case "finish": {
        const bytes = encoders.get(request.id)?.finish(request.tags) ?? new Uint8Array(0);
        encoders.delete(request.id);
        return port.post({ kind: "file", id: request.id, bytes });
      }
    }
  }

  port.onMessage((request) => {
    if (request.kind === "stop") {
      if (!encoders.delete(request.id)) stopped.add(request.id);
      return;
    }
    last = last
      .then(() => serve(request))
      .catch((error: Error) => {
        encoders.delete(request.id);
        if (error.name === "VoiceError") port.post({ kind: "refused", id: request.id, reason: error.message });
        else port.post({ kind: "failed", id: request.id, message: error.message });
      });
  });
}

class LoadedVoice {
  #speaker: Speaker | null = null;
  #modelText = "";
  #model: VoiceModel | null = null;

  async speak({ model, text, settings }: { model: string; text: string; settings: VoiceSettings }) {
    const [{ Speaker }, { loadFlite }, { isVoiceModel }, { analysisRate }, { VoiceError }] = await Promise.all([
      import("../../../lib/voice-engine/speaker.ts"),
      import("../../../lib/voice-engine/voice-assets.ts"),
      import("../../../lib/voice-engine/voice-model.ts"),
      import("../../../lib/voice-engine/analysis-format.ts"),
      import("../../../lib/voice-engine/voice-error.ts"),
    ]);
    this.#speaker ??= new Speaker(await loadFlite());
    if (this.#modelText !== model) {
      const parsed: unknown = JSON.parse(model);
      if (!isVoiceModel(parsed))
        throw new VoiceError("voice_unfit", "This voice was trained by another version of outreachd. Retrain it.");
      this.#model = parsed;
      this.#modelText = model;
    }
    return { sampleRate: analysisRate, blocks: this.#speaker.speak(text, this.#model, settings) };
  }
}
