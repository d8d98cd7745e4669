import { afterEach, expect, test } from "bun:test";
import { answerWith, change, show } from "../support/page.ts";
import type { CloneDetailView } from "../../src/features/voice/model.ts";
import { wavOf } from "../../src/surfaces/dashboard/app/pages/voice/sound.ts";
import { NewVoicePage } from "../../src/surfaces/dashboard/app/pages/voice/new-voice.tsx";
import { VoicePage } from "../../src/surfaces/dashboard/app/pages/voice/voice-page.tsx";
import { session } from "../../src/surfaces/dashboard/app/session.ts";
import { signIn } from "../support/dashboard.ts";

afterEach(() => (session.value = null));

const instant = "2030-01-01T00:00:00.000Z";
const voice: CloneDetailView = {
  voiceId: "v1",
  name: "<i>Ada</i>",
  description: "",
  createdAt: instant,
  updatedAt: instant,
  isActive: true,
  sampleCount: 1,
  labels: {},
  status: "processing",
  progress: 40,
  message: "Measuring the recordings",
  errorMessage: null,
  jobId: "j1",
  trainedAt: null,
  settings: { stability: 0.5, clarity: 0.75, use_speaker_boost: true },
  engine: "local",
  consent: null,
  quality: {
    verdict: "poor",
    usableSamples: 1,
    speechSeconds: 65,
    speakers: 2,
    problems: [{ code: "speakers", message: "Two people are heard." }],
    notes: [],
  },
  samples: [],
};

test("converts recordings to 16-bit mono WAV at their sample rate", async () => {
  const bytes = new DataView(await wavOf(new Float32Array([0, 1, -1, 2]), 48_000).arrayBuffer());
  const text = (at: number) => String.fromCharCode(...[0, 1, 2, 3].map((n) => bytes.getUint8(at + n)));
  expect([text(0), text(8), text(36)]).toEqual(["RIFF", "WAVE", "data"]);
  expect(bytes.getUint32(4, true)).toBe(bytes.byteLength - 8);
  expect(bytes.getUint32(24, true)).toBe(48_000);
  expect([0, 1, 2, 3].map((n) => bytes.getInt16(44 + n * 2, true))).toEqual([0, 32_767, -32_767, 32_767]);
});

test("shows the training progress and the quality of the recordings", async () => {
  signIn(["voice:read"]);
  answerWith({ "GET /api/v2/voice-clones/v1": () => ({ body: { data: voice } }) });
  const place = await show(<VoicePage params={{ id: "v1" }} />);
  await change(() => Bun.sleep(0));
  expect(place.querySelector("h1")?.textContent).toBe("<i>Ada</i>");
  expect(place.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow")).toBe("40");
  expect(place.querySelector(".quality")?.textContent).toContain("1:05 of speech in 1 usable recordings");
  expect(place.querySelector(".quality-problems")?.textContent).toBe("Two people are heard.");
  expect(place.textContent).not.toContain("Preview");
});

test("cloning a voice requires recordings and consent", async () => {
  signIn(["*"]);
  const asked = answerWith({});
  const place = await show(<NewVoicePage />);
  await change(async () => {
    place.querySelector("form")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    await Bun.sleep(0);
  });
  expect(place.querySelector("[role=alert]")?.textContent).toContain("Add at least one recording");
  expect(asked).toEqual([]);
});
