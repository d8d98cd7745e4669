import { pitchRange } from "./base-voices.ts";
import { meanToneGains } from "./mean-tone.ts";
import type { SpeechFrames } from "./speech-frames.ts";
import { clamp } from "./statistics.ts";
import type { VoiceModel } from "./voice-model.ts";

/** Part of the difference comes from what is said, not how. */
const share = 0.7;
/** More coloring than this (18 dB) comes from a poor recording. A limit of 12 kept acted voices out of reach. */
const mostSteady = 18 / 4.343;

/** Closes the loop: corrects the model by comparing its speech with the speaker's. */
export function correctTone({ tone, pitch }: VoiceModel, spoken: SpeechFrames, wanted: SpeechFrames): void {
  pitch.to.logMedian += pitchRange(wanted).logMedian - pitchRange(spoken).logMedian;
  for (const kind of ["voiced", "unvoiced"] as const) {
    const missing = meanToneGains(spoken, wanted, kind, tone.bands);
    tone[kind] = tone[kind].map((value, band) => clamp(value + share * missing[band]!, -mostSteady, mostSteady));
  }
}
