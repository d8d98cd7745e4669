import { pitchRange } from "./base-voices.ts";
import { meanToneGains } from "./mean-tone.ts";
import type { SpeechFrames } from "./speech-frames.ts";
import { clamp } from "./statistics.ts";
import type { VoiceModel } from "./voice-model.ts";

/** Some of the difference is what is said, not how. */
const share = 0.7;
/** More colour than this, 18 dB, is a poor recording's. A limit of 12 kept acted voices from being reached. */
const mostSteady = 18 / 4.343;

/** Closes the loop: what is heard of the model's speech, against what was heard of the speaker, sets it right. */
export function correctTone({ tone, pitch }: VoiceModel, spoken: SpeechFrames, wanted: SpeechFrames): void {
  pitch.to.logMedian += pitchRange(wanted).logMedian - pitchRange(spoken).logMedian;
  for (const kind of ["voiced", "unvoiced"] as const) {
    const missing = meanToneGains(spoken, wanted, kind, tone.bands);
    tone[kind] = tone[kind].map((value, band) => clamp(value + share * missing[band]!, -mostSteady, mostSteady));
  }
}
