import { join } from "node:path";
import { $ } from "bun";
import { BaseVoices } from "../../../src/voice/engine/base-voices.ts";
import type { Flite } from "../../../src/voice/engine/flite.ts";
import { SampleAnalysis } from "../../../src/voice/engine/sample-analysis.ts";
import type { SileroWeights } from "../../../src/voice/engine/silero.ts";
import { profileOf, speakerDistance } from "../../../src/voice/engine/speaker-profile.ts";
import { defaultSpeakSettings, Speaker } from "../../../src/voice/engine/speaker.ts";
import { measureSpeech } from "../../../src/voice/engine/speech-frames.ts";
import { loadFlite, loadSilero } from "../../../src/voice/engine/voice-assets.ts";
import { trainVoice } from "../../../src/voice/engine/voice-training.ts";
import type { BenchCase, Measure } from "../report.ts";
import { withDirectory } from "../server.ts";
import { recordedSpeakers, writeWav, type RecordedSpeaker } from "../speech-corpus.ts";
import { judgeOf } from "../voice-judge.ts";

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
  const previews = previewsOf(speakers, flite, silero);
  const unseen = speakers.map(({ signal }) => signal.slice(enrolledSeconds * 16_000, (enrolledSeconds + 90) * 16_000));
  const own = (isChannelFree: boolean) => {
    const judge = judgeOf(unseen, isChannelFree);
    return share(previews, ({ speaker, signal }) => indexOfHighest(judge(signal)) === speaker);
  };
  const measures: Measure[] = [
    {
      name: "recordings that identify their speaker",
      value: identified(speakers),
      unit: "ratio",
      goal: { atLeast: 0.95 },
    },
    { name: "previews nearest to their own speaker", value: own(false), unit: "ratio", goal: { atLeast: 0.85 } },
    { name: "the same without the colour of the recording", value: own(true), unit: "ratio" },
  ];
  if (Bun.which("pocketsphinx_continuous") !== null)
    measures.push({ name: "words misheard", value: await misheard(previews), unit: "ratio", goal: { atMost: 0.4 } });
  return measures;
}

type Preview = { speaker: number; text: string; signal: Float32Array };

function previewsOf(speakers: readonly RecordedSpeaker[], flite: Flite, silero: SileroWeights): Preview[] {
  const voices = new BaseVoices(flite);
  return speakers.flatMap(({ signal }, speaker) => {
    const analysis = new SampleAnalysis(silero);
    analysis.push({ channels: [signal.slice(0, enrolledSeconds * 16_000)], sampleRate: 16_000 });
    const { model } = trainVoice([analysis.finish()], voices, () => {});
    return texts.map((text) => {
      const parts = [...new Speaker(flite).speak(text, model, defaultSpeakSettings)];
      return { speaker, text, signal: Float32Array.from(parts.flatMap((part) => [...part])) };
    });
  });
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

/** Word error rate of pocketsphinx with its American English model, which hears one in four words of Flite wrong. */
async function misheard(previews: readonly Preview[]): Promise<number> {
  return await withDirectory(async (directory) => {
    let [errors, words] = [0, 0];
    for (const { text, signal } of previews) {
      const file = join(directory, "preview.wav");
      await Bun.write(file, writeWav(signal));
      const heard = await $`pocketsphinx_continuous -infile ${file} -logfn /dev/null`.quiet().text();
      const wanted = wordsOf(text);
      errors += editDistance(wanted, wordsOf(heard));
      words += wanted.length;
    }
    return errors / words;
  });
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z']+/g) ?? [];
}

function editDistance(a: readonly string[], b: readonly string[]): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, word] of a.entries()) {
    const row = [i + 1];
    for (const [j, other] of b.entries())
      row.push(Math.min(row[j]! + 1, previous[j + 1]! + 1, previous[j]! + (word === other ? 0 : 1)));
    previous = row;
  }
  return previous.at(-1)!;
}

function indexOfHighest(values: readonly number[]): number {
  return values.indexOf(Math.max(...values));
}

function share<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.filter(holds).length / items.length;
}
