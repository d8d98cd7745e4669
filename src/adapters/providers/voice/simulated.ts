import type { VoiceEngine } from "../../../features/voice/voice-engine.ts";
import { drawOf } from "../simulated-draw.ts";

const sampleRate = 24_000;
/** About as fast as people speak. */
const secondsPerCharacter = 0.06;
const blockSamples = 4_800;
const loudness = 0.2;

/** A voice that hums: at a pitch derived from the clone, for as long as it would take to say the text. */
export function createSimulatedVoices(seed: number): VoiceEngine {
  return {
    problem: async () => null,
    async train({ cloneId }, onProgress) {
      onProgress(100, "Humming");
      const pitch = Math.round(100 + 120 * drawOf(seed, cloneId));
      return { kind: "trained", artefact: String(pitch), notes: ["This is a simulation: the voice hums."] };
    },
    async speak({ artefact }, { text }) {
      return { kind: "spoken", sampleRate, blocks: hum(Number(artefact) || 150, text.length * secondsPerCharacter) };
    },
    remove: async () => {},
  };
}

async function* hum(pitch: number, seconds: number): AsyncGenerator<Float32Array, void, void> {
  const total = Math.ceil(seconds * sampleRate);
  for (let start = 0; start < total; start += blockSamples)
    yield Float32Array.from(
      { length: Math.min(blockSamples, total - start) },
      (_, at) => loudness * Math.sin((2 * Math.PI * pitch * (start + at)) / sampleRate),
    );
}
