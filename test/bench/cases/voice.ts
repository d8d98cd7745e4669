import { join } from "node:path";
import { $ } from "bun";
import { baseVoiceNames, type BaseVoiceName } from "../../../src/lib/voice-engine/base-voice-names.ts";
import { BaseVoices } from "../../../src/lib/voice-engine/base-voices.ts";
import type { Flite } from "../../../src/lib/voice-engine/flite.ts";
import { SampleAnalysis } from "../../../src/lib/voice-engine/sample-analysis.ts";
import type { SileroWeights } from "../../../src/lib/voice-engine/silero.ts";
import { profileOf, speakerDistance } from "../../../src/lib/voice-engine/speaker-profile.ts";
import { speakableText } from "../../../src/lib/voice-engine/speakable-text.ts";
import { defaultSpeakSettings, Speaker } from "../../../src/lib/voice-engine/speaker.ts";
import { measureSpeech } from "../../../src/lib/voice-engine/speech-frames.ts";
import { loadFlite, loadSilero } from "../../../src/lib/voice-engine/voice-assets.ts";
import type { VoiceModel } from "../../../src/lib/voice-engine/voice-model.ts";
import { trainVoice } from "../../../src/lib/voice-engine/voice-training.ts";
import type { BenchCase, Measure } from "../report.ts";
import { recordedSpeakers, type RecordedSpeaker } from "../speech-corpus.ts";
import { hasRecogniser, misheard, type Spoken } from "../speech-recogniser.ts";
import { judgeOf, type Judge } from "../voice-judge.ts";

const texts = [
  "Hi Maria, thanks for connecting. I saw your post about warehouse robotics, and I would love to hear how your team plans the next rollouts in Berlin.",
  "The report shows nine of the ten offices grew this year. Please send the figures before four, and we will join you at the main station on Friday.",
  "Good morning, this is a short voice note. We help small firms find better software, and I thought of you when I read about the new project.",
];
const enrolledSeconds = 60;
const probeSeconds = 12;

/** The built-in voice engine: speed always, likeness and clarity where recordings of people are at hand. */
export const voice: BenchCase = {
  about: "train a voice and speak with it (VOICE_BENCH_SPEECH: a folder of recordings to judge likeness by)",
  async run() {
    const speakers = await recordedSpeakers();
    return [...(await speed()), ...(speakers === null ? [] : await likeness(speakers))];
  },
};

async function speed(): Promise<Measure[]> {
  type Run = { firstAudioMs: number; trainingMs: number; convertedAudioMs: number; peakBytes: number };
  const run = async (files: number, seconds: number) =>
    (await $`${process.execPath} ${join(import.meta.dir, "../voice-run.ts")} ${files} ${seconds}`.json()) as Run;
  const minute = await run(1, 75);
  const most = await run(10, 300);
  return [
    {
      name: "first audio of 100 characters, from nothing",
      value: minute.firstAudioMs,
      unit: "ms",
      goal: { atMost: 1000 },
    },
    {
      name: "first audio in a trained voice, warm",
      value: minute.convertedAudioMs,
      unit: "ms",
      goal: { atMost: 1000 },
    },
    { name: "train on one minute of speech", value: minute.trainingMs, unit: "ms", goal: { atMost: 25_000 } },
    { name: "train on 10 files of 5 minutes", value: most.trainingMs, unit: "ms", goal: { atMost: 300_000 } },
    { name: "memory for that, at most", value: most.peakBytes / 1e6, unit: "MB", goal: { atMost: 600 } },
  ];
}

async function likeness(speakers: readonly RecordedSpeaker[]): Promise<Measure[]> {
  const [flite, silero] = [await loadFlite(), await loadSilero()];
  const models = trained(speakers, flite, silero);
  const unseen = speakers.map(({ signal }) => signal.slice(enrolledSeconds * 16_000, (enrolledSeconds + 90) * 16_000));
  const [judge, channelFreeJudge] = [judgeOf(unseen, false), judgeOf(unseen, true)];
  const own = (previews: readonly Preview[], judge: Judge) =>
    share(previews, ({ speaker, signal }) => indexOfHighest(judge(signal)) === speaker);

  const measures: Measure[] = [
    {
      name: "recordings that identify their speaker",
      value: identified(speakers),
      unit: "ratio",
      goal: { atLeast: 0.95 },
    },
  ];
  const plain = baseVoiceNames.flatMap((name) => texts.map((text) => ({ text, signal: plainly(flite, text, name) })));
  if (hasRecogniser())
    measures.push({ name: "words misheard, base voices as they are", value: await misheard(plain), unit: "ratio" });
  for (const clarity of [defaultSpeakSettings.clarity, 0, 1]) {
    const previews = previewsOf(models, flite, clarity);
    const isDefault = clarity === defaultSpeakSettings.clarity;
    const at = isDefault ? "" : `, clarity ${clarity}`;
    measures.push(
      {
        name: `previews nearest to their own speaker${at}`,
        value: own(previews, judge),
        unit: "ratio",
        ...(isDefault && { goal: { atLeast: 0.85 } }),
      },
      {
        name: `the same without the colour of the recording${at}`,
        value: own(previews, channelFreeJudge),
        unit: "ratio",
      },
    );
    if (hasRecogniser())
      measures.push({
        name: `words misheard, previews${at}`,
        value: await misheard(previews),
        unit: "ratio",
        ...(isDefault && { goal: { atMost: 0.4 } }),
      });
  }
  return measures;
}

type Preview = Spoken & { speaker: number };

function trained(speakers: readonly RecordedSpeaker[], flite: Flite, silero: SileroWeights): VoiceModel[] {
  const voices = new BaseVoices(flite);
  return speakers.map(({ signal }) => {
    const analysis = new SampleAnalysis(silero);
    analysis.push({ channels: [signal.slice(0, enrolledSeconds * 16_000)], sampleRate: 16_000 });
    return trainVoice([analysis.finish()], voices, () => {}).model;
  });
}

function previewsOf(models: readonly VoiceModel[], flite: Flite, clarity: number): Preview[] {
  return models.flatMap((model, speaker) =>
    texts.map((text) => {
      const parts = [...new Speaker(flite).speak(text, model, { ...defaultSpeakSettings, clarity })];
      return { speaker, text, signal: Float32Array.from(parts.flatMap((part) => [...part])) };
    }),
  );
}

function plainly(flite: Flite, text: string, voice: BaseVoiceName): Float32Array {
  return Float32Array.from(speakableText(text).flatMap((piece) => [...flite.speak(piece, voice)]));
}

/** Leave one out: the share of recordings of 12 s whose nearest profile among all others is the same speaker's. */
function identified(speakers: readonly RecordedSpeaker[]): number {
  const probes = speakers.flatMap(({ signal }, speaker) =>
    Array.from({ length: 7 }, (_, i) => signal.slice(i * probeSeconds * 16_000, (i + 1) * probeSeconds * 16_000))
      .map((part) => ({ speaker, profile: profileOf(measureSpeech(part)) }))
      .flatMap(({ speaker, profile }) => (profile === null ? [] : [{ speaker, profile }])),
  );
  return share(probes, (probe) => {
    const others = probes.filter((other) => other !== probe);
    const nearness = others.map((other) => -speakerDistance(probe.profile, other.profile));
    return others[indexOfHighest(nearness)]!.speaker === probe.speaker;
  });
}

function indexOfHighest(values: readonly number[]): number {
  return values.indexOf(Math.max(...values));
}

function share<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.filter(holds).length / items.length;
}
