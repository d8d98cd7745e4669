import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wavBytes } from "../../src/lib/audio/wav/encode-wav.ts";
import type { TrainingMaterial, TrainingSample } from "../../src/features/voice/voice-engine.ts";
import { seeded } from "./random.ts";

export type MaterialOnDisk = TrainingMaterial & { folder: string; [Symbol.dispose](): void };

/** What a voice is made of, with its recordings on the disk until it is disposed of. Each recording is a noise of its own. */
export async function materialOnDisk(overrides: Partial<TrainingMaterial> = {}): Promise<MaterialOnDisk> {
  const folder = mkdtempSync(join(tmpdir(), "voice-material-"));
  const sample = async (id: string, seconds: number): Promise<TrainingSample> => ({
    id,
    fileName: `${id}.mp3`,
    clip: await clipOf(join(folder, id), seconds, id.charCodeAt(0)),
    framesPath: join(folder, "none"),
    speechSeconds: seconds,
  });
  return {
    cloneId: "vc-7f3a",
    name: "Ada",
    description: "Speaks slowly",
    labels: {},
    settings: { stability: 0.5, clarity: 0.75, useSpeakerBoost: true },
    samples: [await sample("best", 12), await sample("other", 3)],
    reference: await clipOf(join(folder, "reference"), 6, 1),
    ...overrides,
    folder,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function clipOf(path: string, seconds: number, seed: number) {
  const random = seeded(seed);
  const samples = Float32Array.from({ length: seconds * 24_000 }, () => random() - 0.5);
  await Bun.write(path, wavBytes(samples, 24_000, { software: "made for tests" }));
  return { path, seconds };
}
