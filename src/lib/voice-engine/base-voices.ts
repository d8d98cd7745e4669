import type { BaseVoiceName } from "./base-voice-names.ts";
import type { Flite } from "./flite.ts";
import { joinFrames, measureSpeech, type SpeechFrames } from "./speech-frames.ts";
import { quantile } from "./statistics.ts";
import type { PitchRange } from "./voice-model.ts";

/** What a base voice sounds like. */
export type BaseVoice = { name: BaseVoiceName; frames: SpeechFrames; pitch: PitchRange };

/** Has each sound of English several times: sentences after the Harvard list (IEEE 297, 1969) and some rare sounds. */
const script = [
  "The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background.",
  "It is easy to tell the depth of a well. These days a chicken leg is a rare dish.",
  "Rice is often served in round bowls. The juice of lemons makes fine punch.",
  "The box was thrown beside the parked truck. Four hours of steady work faced us.",
  "A large size in stockings is hard to sell. The boy was there when the sun rose.",
  "The source of the huge river is the clear spring. Help the woman get back to her feet.",
  "Smoky fires lack flame and heat. The soft cushion broke the man's fall.",
  "We measure voice, joy, azure, thing, this, church, and judge.",
];

/**
 * The base voices speaking the script. Each is measured once, on first use, which takes a second or two, so a thread
 * that trains several voices reuses them.
 */
export class BaseVoices {
  readonly #measured = new Map<BaseVoiceName, BaseVoice>();

  constructor(readonly flite: Flite) {}

  get(name: BaseVoiceName): BaseVoice {
    let voice = this.#measured.get(name);
    if (voice === undefined) {
      const frames = joinFrames(script.map((line) => this.#measureLine(line, name)));
      this.#measured.set(name, (voice = { name, frames, pitch: pitchRange(frames) }));
    }
    return voice;
  }

  #measureLine(line: string, name: BaseVoiceName): SpeechFrames {
    const frames = measureSpeech(this.flite.speak(line, name));
    // The garbage collector does not know the size of the unreferenced synthesizer memory, so it would accumulate.
    Bun.gc(true);
    return frames;
  }
}

/** Covers most of the speech: octave errors of the tracker and single shouts do not count. */
export function pitchRange(frames: SpeechFrames): PitchRange {
  const logs = frames.f0.filter((hz) => hz > 0).map(Math.log);
  const [low, middle, high] = [0.16, 0.5, 0.84].map((share) => quantile(logs, share)) as [number, number, number];
  return { logMedian: middle, logReach: (high - low) / 2 };
}
