import { BaseVoices } from "../../src/lib/voice-engine/base-voices.ts";
import { SampleAnalysis } from "../../src/lib/voice-engine/sample-analysis.ts";
import { defaultSpeakSettings, Speaker } from "../../src/lib/voice-engine/speaker.ts";
import { loadFlite, loadSilero } from "../../src/lib/voice-engine/voice-assets.ts";
import { trainVoice } from "../../src/lib/voice-engine/voice-training.ts";

/**
 * Run as a process of its own, so that nothing is loaded yet and memory is its own: measures as many files of as many
 * seconds as its arguments say (speech and pauses at 44.1 kHz, in stereo), trains a voice, and speaks 100 characters.
 * Prints milliseconds and bytes as JSON.
 */
const [files = 1, seconds = 60] = process.argv.slice(2).map(Number);
const hundredCharacters =
  "Hi Maria, thanks for connecting, I saw your post on robotics and would love to hear more about it. OK?";

const startedAt = performance.now();
const flite = await loadFlite();
new Speaker(flite).speak(hundredCharacters, null, defaultSpeakSettings).next();
const firstAudioMs = performance.now() - startedAt;

const said = flite.speak("Rice is often served in round bowls, while the juice of lemons makes fine punch.", "slt");
// Samples are held: how it sounds does not matter here, only that every stage has its work.
const block = Float32Array.from(
  { length: Math.floor(said.length * 2.75625) },
  (_, i) => said[Math.floor(i / 2.75625)]!,
);
const blockSeconds = block.length / 44_100;
const silero = await loadSilero();
const analysedAt = performance.now();
const samples = Array.from({ length: files }, () => {
  const analysis = new SampleAnalysis(silero);
  for (let at = 0; at < seconds && !analysis.isFull; at += blockSeconds)
    analysis.push({ channels: [block, block], sampleRate: 44_100 });
  return analysis.finish();
});
const { model } = trainVoice(samples, new BaseVoices(flite), () => {});
const trainingMs = performance.now() - analysedAt;
const spokenAt = performance.now();
new Speaker(flite).speak(hundredCharacters, model).next();
console.log(
  JSON.stringify({
    firstAudioMs,
    trainingMs,
    convertedAudioMs: performance.now() - spokenAt,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  }),
);
