import { Type, type Static } from "@sinclair/typebox";
import { audioFormats, type AudioFormat } from "../../lib/audio/pcm.ts";
import { sampleVerdicts, type SampleMeasures, type SampleVerdict } from "../../lib/voice-engine/sample-report.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** Engines for training voices. Vendor adapters are in src/adapters/providers/voice. */
export const voiceEngineNames = [
  "local",
  "elevenlabs",
  "cartesia",
  "chatterbox",
  "chatterbox-devnen",
  "pocket-tts",
  "xtts",
  "openai-speech",
] as const;
export type VoiceEngineName = (typeof voiceEngineNames)[number];

/** Consent required to clone a voice: none, a statement, or a statement and a recording of it. */
export const consentModes = ["off", "attest", "recording"] as const;
export type ConsentMode = (typeof consentModes)[number];

/** Whether the uploaded files are kept after training. */
export const originalsPolicies = ["keep", "delete"] as const;
export type OriginalsPolicy = (typeof originalsPolicies)[number];

/** Specification, "Limits". */
export const maxSamples = 10;
export const maxSampleBytes = 50 * 2 ** 20;
/** About a minute of speech, the maximum length of a voice message. */
export const maxSpokenCharacters = 1000;

/** Specification, "States and transitions". The status of a clone is the status of its latest training. */
export const cloneStatuses = ["processing", "ready", "failed"] as const;
export type CloneStatus = (typeof cloneStatuses)[number];

/**
 * Speech settings. `clarity` is called similarity by vendors: a closer likeness, but less intelligible speech.
 * `stability` 1 makes the intonation even.
 */
export type VoiceSettings = { stability: number; clarity: number; useSpeakerBoost: boolean };

/** The defaults of ElevenLabs, whose names the settings follow. */
export const defaultVoiceSettings: VoiceSettings = { stability: 0.5, clarity: 0.75, useSpeakerBoost: true };

/** An uploaded file. */
export type StoredFile = { format: AudioFormat; bytes: number; sha256: string };

/** Who attested the speaker's consent, and when. Retained as long as the clone. */
export type Consent = {
  speakerName: string;
  /** Exact wording of the attestation. */
  statement: string;
  attestedBy: { userId: string; keyId: string; keyName: string };
  attestedAt: number;
  /** Recording of the speaker reading the statement; null if none was required. */
  recording: StoredFile | null;
};

export type QualityProblem = { code: string; message: string };

/** Measured quality of a sample. A file that could not be decoded has no measures. */
export type SampleQuality = { verdict: SampleVerdict; problems: QualityProblem[]; measures: SampleMeasures | null };

/** Overall quality of all samples of a clone. */
export type CloneQuality = {
  verdict: SampleVerdict;
  usableSamples: number;
  speechSeconds: number;
  /** Number of different voices detected; 0 before measuring. */
  speakers: number;
  problems: QualityProblem[];
  /** Notes of the engine about the trained voice. */
  notes: string[];
};

export type VoiceSample = StoredFile & {
  id: string;
  cloneId: string;
  fileName: string;
  /** False if the file was deleted by policy; derived data is still available. */
  hasOriginal: boolean;
  /** Size of the derived files: the clip and the frames. */
  derivedBytes: number;
  /** Null until measured. */
  quality: SampleQuality | null;
  createdAt: number;
};

export type VoiceClone = {
  id: string;
  workspaceId: WorkspaceId;
  name: string;
  description: string;
  labels: Record<string, string>;
  settings: VoiceSettings;
  isActive: boolean;
  /** Engine of the latest training. */
  engine: VoiceEngineName;
  consent: Consent | null;
  quality: CloneQuality | null;
  jobId: string;
  /** When the current voice was trained; null until there is one. */
  trainedAt: number | null;
  createdAt: number;
  updatedAt: number;
};

/** A clone with the state of its samples and training job. */
export type VoiceCloneState = VoiceClone & {
  sampleCount: number;
  status: CloneStatus;
  /** Training progress in percent. */
  progress: number;
  /** Current stage of the training, or its result. */
  message: string;
};

const Name = Type.String({ minLength: 1, maxLength: 200 });
const Description = Type.String({ maxLength: 2000 });
const fraction = (value: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 1, default: value, description });
const Labels = Type.Record(Type.String({ minLength: 1, maxLength: 50 }), Type.String({ maxLength: 200 }), {
  maxProperties: 20,
  description: "Custom labels, such as language or accent.",
});

/** Specification, "Voice clone". Ranges and defaults match the equivalent settings of the vendors. */
export const SettingsInput = Type.Object(
  {
    stability: Type.Optional(
      fraction(
        defaultVoiceSettings.stability,
        "Consistency of the delivery. 1 is even; 0 is expressive and less predictable.",
      ),
    ),
    clarity: Type.Optional(
      fraction(defaultVoiceSettings.clarity, "Similarity to the samples. Called `similarity_boost` by some vendors."),
    ),
    use_speaker_boost: Type.Optional(
      Type.Boolean({
        default: defaultVoiceSettings.useSpeakerBoost,
        description: "Increase the similarity to the speaker further.",
      }),
    ),
  },
  { description: "Speech settings. Omitted settings keep their value." },
);
export type SettingsInput = Static<typeof SettingsInput>;

const ConsentInput = Type.Object(
  {
    attested: Type.Literal(true, {
      description: "Must be true: confirms that the speaker consented to the creation and use of the clone.",
    }),
    speakerName: Type.String({ minLength: 1, maxLength: 200, description: "Name of the speaker." }),
    statement: Type.Optional(
      Type.String({ maxLength: 2000, description: "Wording of the attestation. Defaults to a standard statement." }),
    ),
  },
  { description: "Consent of the speaker. Required if the `voice-consent` option of the server requires it." },
);
export type ConsentInput = Static<typeof ConsentInput>;

/** Form fields other than files. Objects are sent as JSON. */
export const CloneForm = Type.Object({
  name: Name,
  description: Type.Optional(Description),
  settings: Type.Optional(SettingsInput),
  labels: Type.Optional(Labels),
  consent: Type.Optional(ConsentInput),
});
export type CloneForm = Static<typeof CloneForm>;

export const CloneUpdate = Type.Object(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    settings: Type.Optional(SettingsInput),
    labels: Type.Optional(Labels),
    isActive: Type.Optional(Type.Boolean({ description: "If false, the voice is kept but cannot be used." })),
  },
  { examples: [{ name: "Ada, warm", settings: { stability: 0.4, clarity: 0.8 } }] },
);
export type CloneUpdate = Static<typeof CloneUpdate>;

export const previewFormats = ["wav", "m4a"] as const;
export type PreviewFormat = (typeof previewFormats)[number];

export const PreviewInput = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: maxSpokenCharacters, description: "Text to speak." }),
    settings: Type.Optional(SettingsInput),
    format: Type.Optional(
      Type.Union(
        previewFormats.map((format) => Type.Literal(format)),
        { default: "wav", description: "`wav` is streamed while it is generated; `m4a` (AAC) is smaller." },
      ),
    ),
  },
  { examples: [{ text: "Hello Grace, this is Ada. Do you have ten minutes on Thursday?", format: "m4a" }] },
);
export type PreviewInput = Static<typeof PreviewInput>;

export const SettingsView = Type.Object(
  { stability: Type.Number(), clarity: Type.Number(), use_speaker_boost: Type.Boolean() },
  { $id: "VoiceSettings", description: "Speech settings of a voice." },
);

const instant = Type.String({ format: "date-time" });
const instantOrNull = Type.Union([instant, Type.Null()]);
const Verdict = Type.Union(sampleVerdicts.map((verdict) => Type.Literal(verdict)));
const Problems = Type.Array(Type.Object({ code: Type.String(), message: Type.String() }), {
  description: "Problems found, and how to fix them.",
});

export const SampleQualityView = Type.Object(
  {
    verdict: Verdict,
    problems: Problems,
    measures: Type.Union([
      Type.Object({
        seconds: Type.Number(),
        speechSeconds: Type.Number(),
        snrDb: Type.Number({ description: "Signal-to-noise ratio: level of the voice above the background." }),
        clippedShare: Type.Number({ description: "Share of clipped samples, from 0 to 1." }),
        levelDb: Type.Number({ description: "Speech level relative to full scale." }),
        bandwidthHz: Type.Number(),
        sampleRate: Type.Number(),
        channels: Type.Number(),
        speakers: Type.Number(),
      }),
      Type.Null(),
    ]),
  },
  { $id: "VoiceSampleQuality", description: "Measured quality of a recording." },
);

export const CloneQualityView = Type.Object(
  {
    verdict: Verdict,
    usableSamples: Type.Integer(),
    speechSeconds: Type.Number(),
    speakers: Type.Integer({ description: "Number of different voices detected." }),
    problems: Problems,
    notes: Type.Array(Type.String(), { description: "Notes of the voice engine about the trained voice." }),
  },
  { $id: "VoiceCloneQuality", description: "Overall quality of all recordings." },
);

const StoredFileView = {
  format: Type.Union(audioFormats.map((format) => Type.Literal(format))),
  bytes: Type.Integer(),
  sha256: Type.String(),
};

export const SampleView = Type.Object(
  {
    sampleId: Type.String(),
    fileName: Type.String(),
    ...StoredFileView,
    hasOriginal: Type.Boolean({ description: "false if the file was deleted after training." }),
    quality: Type.Union([SampleQualityView, Type.Null()], { description: "null until the recording is measured." }),
    createdAt: instant,
  },
  { $id: "VoiceSample", description: "A recording of a voice." },
);
export type SampleView = Static<typeof SampleView>;

/** Specification, "Voice clone", create. `status` and `jobId` are our additions. */
export const NewCloneView = Type.Object(
  {
    voiceId: Type.String(),
    name: Type.String(),
    description: Type.String(),
    sampleCount: Type.Integer(),
    createdAt: instant,
    status: Type.Literal("processing"),
    jobId: Type.String({ description: "Training job. Follow it at GET /api/v2/users/jobs/{jobId}." }),
  },
  { $id: "NewVoiceClone" },
);

/** Specification, "Voice clone", list item, plus the state of the training. */
export const CloneView = Type.Object(
  {
    voiceId: Type.String(),
    name: Type.String(),
    description: Type.String(),
    createdAt: instant,
    updatedAt: instant,
    isActive: Type.Boolean(),
    sampleCount: Type.Integer(),
    labels: Type.Record(Type.String(), Type.String()),
    status: Type.Union(cloneStatuses.map((status) => Type.Literal(status))),
    progress: Type.Number({ minimum: 0, maximum: 100, description: "Training progress in percent." }),
    message: Type.String({ description: "Current stage of the training, or its result." }),
    errorMessage: Type.Union([Type.String(), Type.Null()], {
      description: "Reason for the failure and how to fix it. null if training did not fail.",
    }),
    jobId: Type.String(),
    trainedAt: instantOrNull,
  },
  { $id: "VoiceClone", description: "A synthetic voice trained from recordings of a person." },
);
export type CloneView = Static<typeof CloneView>;

const ConsentView = Type.Object({
  speakerName: Type.String(),
  statement: Type.String(),
  attestedBy: Type.Object({ userId: Type.String(), keyId: Type.String(), keyName: Type.String() }),
  attestedAt: instant,
  recording: Type.Union([Type.Object(StoredFileView), Type.Null()]),
});

export const CloneDetailView = Type.Object(
  {
    ...CloneView.properties,
    settings: SettingsView,
    engine: Type.String({ description: "Voice engine of the clone." }),
    consent: Type.Union([ConsentView, Type.Null()]),
    quality: Type.Union([CloneQualityView, Type.Null()], { description: "null until the samples are measured." }),
    samples: Type.Array(SampleView),
  },
  { $id: "VoiceCloneDetail", description: "A voice clone with its recordings and their quality." },
);
export type CloneDetailView = Static<typeof CloneDetailView>;

/** Specification, "Voice clone", update. */
export const UpdatedCloneView = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    status: Type.Union(cloneStatuses.map((status) => Type.Literal(status))),
    settings: SettingsView,
    created_at: instant,
    updated_at: instant,
    isActive: Type.Boolean(),
    labels: Type.Record(Type.String(), Type.String()),
  },
  { $id: "UpdatedVoiceClone" },
);
export type UpdatedCloneView = Static<typeof UpdatedCloneView>;

export const CheckView = Type.Object(
  {
    isTrainable: Type.Boolean({ description: "Whether the files contain enough speech for training." }),
    quality: CloneQualityView,
    samples: Type.Array(Type.Object({ fileName: Type.String(), ...StoredFileView, quality: SampleQualityView })),
  },
  { $id: "VoiceSampleCheck", description: "Quality of the recordings. Nothing was stored." },
);
export type CheckView = Static<typeof CheckView>;
