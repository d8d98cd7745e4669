import { Type, type Static } from "@sinclair/typebox";
import { audioFormats, type AudioFormat } from "../../lib/audio/pcm.ts";
import { sampleVerdicts, type SampleMeasures, type SampleVerdict } from "../../lib/voice-engine/sample-report.ts";

/** Engines that a voice can be trained with; adapters to vendors stand in src/providers/voice. */
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

/** What has to be shown before a voice is cloned: nothing, a statement, or a statement and a recording of it. */
export const consentModes = ["off", "attest", "recording"] as const;
export type ConsentMode = (typeof consentModes)[number];

/** Whether the files of a clone are kept once its voice is trained. */
export const originalsPolicies = ["keep", "delete"] as const;
export type OriginalsPolicy = (typeof originalsPolicies)[number];

/** Specification, "Limits". */
export const maxSamples = 10;
export const maxSampleBytes = 50 * 2 ** 20;
/** About a minute of speech, which is all that a voice message may be. */
export const maxSpokenCharacters = 1000;

/** Specification, "States and transitions". A clone's status is that of its latest training. */
export const cloneStatuses = ["processing", "ready", "failed"] as const;
export type CloneStatus = (typeof cloneStatuses)[number];

/**
 * How a voice speaks. `clarity` is what vendors call similarity: nearer to the speaker, at the price of being understood
 * less well. `stability` 1 keeps the melody flat.
 */
export type VoiceSettings = { stability: number; clarity: number; useSpeakerBoost: boolean };

/** The defaults of ElevenLabs, after which the three are named. */
export const defaultVoiceSettings: VoiceSettings = { stability: 0.5, clarity: 0.75, useSpeakerBoost: true };

/** A file as it was taken in. */
export type StoredFile = { format: AudioFormat; bytes: number; sha256: string };

/** Who attested that the speaker agreed, and when. Kept as long as the clone. */
export type Consent = {
  speakerName: string;
  /** What was attested, word for word. */
  statement: string;
  attestedBy: { userId: string; keyId: string; keyName: string };
  attestedAt: number;
  /** The speaker, who reads the statement; null where none was asked for. */
  recording: StoredFile | null;
};

export type QualityProblem = { code: string; message: string };

/** What was measured of a sample. A file that could not even be read has no measures. */
export type SampleQuality = { verdict: SampleVerdict; problems: QualityProblem[]; measures: SampleMeasures | null };

/** What was measured of all samples of a clone together. */
export type CloneQuality = {
  verdict: SampleVerdict;
  usableSamples: number;
  speechSeconds: number;
  /** How many different voices were heard; 0 before anything was measured. */
  speakers: number;
  problems: QualityProblem[];
  /** What the engine has to say about the voice that it made. */
  notes: string[];
};

export type VoiceSample = StoredFile & {
  id: string;
  cloneId: string;
  fileName: string;
  /** False once the policy has deleted the file; what was learned from it is still there. */
  hasOriginal: boolean;
  /** Of what was learned from it: the clip and the frames. */
  derivedBytes: number;
  /** Null until it was measured. */
  quality: SampleQuality | null;
  createdAt: number;
};

export type VoiceClone = {
  id: string;
  userId: string;
  name: string;
  description: string;
  labels: Record<string, string>;
  settings: VoiceSettings;
  isActive: boolean;
  /** Of the latest training. */
  engine: VoiceEngineName;
  consent: Consent | null;
  quality: CloneQuality | null;
  jobId: string;
  /** When the voice that it speaks with was made; null while there is none. */
  trainedAt: number | null;
  createdAt: number;
  updatedAt: number;
};

/** A clone with what its samples and its training job say. */
export type VoiceCloneState = VoiceClone & {
  sampleCount: number;
  status: CloneStatus;
  /** Percent of the training. */
  progress: number;
  /** What the training is at, or how it ended. */
  message: string;
};

const Name = Type.String({ minLength: 1, maxLength: 200 });
const Description = Type.String({ maxLength: 2000 });
const fraction = (value: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 1, default: value, description });
const Labels = Type.Record(Type.String({ minLength: 1, maxLength: 50 }), Type.String({ maxLength: 200 }), {
  maxProperties: 20,
  description: "Your own labels, such as language or accent.",
});

/** Specification, "Voice clone"; the ranges and defaults are those of the vendors' settings of the same meaning. */
export const SettingsInput = Type.Object(
  {
    stability: Type.Optional(
      fraction(defaultVoiceSettings.stability, "1 keeps the melody even, 0 makes it lively and less predictable."),
    ),
    clarity: Type.Optional(
      fraction(
        defaultVoiceSettings.clarity,
        "How near to come to the samples; vendors call it similarity (similarity_boost).",
      ),
    ),
    use_speaker_boost: Type.Optional(
      Type.Boolean({ default: defaultVoiceSettings.useSpeakerBoost, description: "Bring the tone nearer still." }),
    ),
  },
  { description: "How the voice speaks. What is left out keeps its value." },
);
export type SettingsInput = Static<typeof SettingsInput>;

const ConsentInput = Type.Object(
  {
    attested: Type.Literal(true, { description: "true: the speaker agreed that this voice is cloned and used." }),
    speakerName: Type.String({ minLength: 1, maxLength: 200, description: "Whose voice it is." }),
    statement: Type.Optional(
      Type.String({ maxLength: 2000, description: "What was attested; a plain sentence unless given." }),
    ),
  },
  { description: "Who agreed to the clone. Needed when the server's `voice-consent` asks for it." },
);
export type ConsentInput = Static<typeof ConsentInput>;

/** The fields of the form beside its files; objects come as JSON texts. */
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
    isActive: Type.Optional(Type.Boolean({ description: "false: the voice is kept, but does not speak." })),
  },
  { examples: [{ name: "Ada, warm", settings: { stability: 0.4, clarity: 0.8 } }] },
);
export type CloneUpdate = Static<typeof CloneUpdate>;

export const previewFormats = ["wav", "m4a"] as const;
export type PreviewFormat = (typeof previewFormats)[number];

export const PreviewInput = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: maxSpokenCharacters, description: "What the voice says." }),
    settings: Type.Optional(SettingsInput),
    format: Type.Optional(
      Type.Union(
        previewFormats.map((format) => Type.Literal(format)),
        { default: "wav", description: "wav is sent while the voice still speaks; m4a (AAC) is small." },
      ),
    ),
  },
  { examples: [{ text: "Hello Grace, this is Ada. Do you have ten minutes on Thursday?", format: "m4a" }] },
);
export type PreviewInput = Static<typeof PreviewInput>;

export const SettingsView = Type.Object(
  { stability: Type.Number(), clarity: Type.Number(), use_speaker_boost: Type.Boolean() },
  { $id: "VoiceSettings", description: "How the voice speaks." },
);

const instant = Type.String({ format: "date-time" });
const instantOrNull = Type.Union([instant, Type.Null()]);
const Verdict = Type.Union(sampleVerdicts.map((verdict) => Type.Literal(verdict)));
const Problems = Type.Array(Type.Object({ code: Type.String(), message: Type.String() }), {
  description: "What was found, and what to do about it.",
});

export const SampleQualityView = Type.Object(
  {
    verdict: Verdict,
    problems: Problems,
    measures: Type.Union([
      Type.Object({
        seconds: Type.Number(),
        speechSeconds: Type.Number(),
        snrDb: Type.Number({ description: "How far the voice is above the background." }),
        clippedShare: Type.Number({ description: "0 to 1." }),
        levelDb: Type.Number({ description: "Of the speech, below full scale." }),
        bandwidthHz: Type.Number(),
        sampleRate: Type.Number(),
        channels: Type.Number(),
        speakers: Type.Number(),
      }),
      Type.Null(),
    ]),
  },
  { $id: "VoiceSampleQuality", description: "What was measured of one recording." },
);

export const CloneQualityView = Type.Object(
  {
    verdict: Verdict,
    usableSamples: Type.Integer(),
    speechSeconds: Type.Number(),
    speakers: Type.Integer({ description: "How many different voices were heard." }),
    problems: Problems,
    notes: Type.Array(Type.String(), { description: "What the engine says about the voice that it made." }),
  },
  { $id: "VoiceCloneQuality", description: "What was measured of all recordings together." },
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
    hasOriginal: Type.Boolean({ description: "false once the file was deleted after the training." }),
    quality: Type.Union([SampleQualityView, Type.Null()], { description: "null until it was measured." }),
    createdAt: instant,
  },
  { $id: "VoiceSample", description: "One recording of a voice." },
);
export type SampleView = Static<typeof SampleView>;

/** Specification, "Voice clone", create; status and jobId are ours. */
export const NewCloneView = Type.Object(
  {
    voiceId: Type.String(),
    name: Type.String(),
    description: Type.String(),
    sampleCount: Type.Integer(),
    createdAt: instant,
    status: Type.Literal("processing"),
    jobId: Type.String({ description: "The training; GET /api/v2/users/jobs/{jobId} follows it." }),
  },
  { $id: "NewVoiceClone" },
);

/** Specification, "Voice clone", list item, and what a client observes of the training. */
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
    progress: Type.Number({ minimum: 0, maximum: 100, description: "Percent of the training." }),
    message: Type.String({ description: "What the training is at, or how it ended." }),
    errorMessage: Type.Union([Type.String(), Type.Null()], { description: "Why it failed and what to do; else null." }),
    jobId: Type.String(),
    trainedAt: instantOrNull,
  },
  { $id: "VoiceClone", description: "A voice that speaks like the recordings it was made of." },
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
    engine: Type.String({ description: "What the voice is made with." }),
    consent: Type.Union([ConsentView, Type.Null()]),
    quality: Type.Union([CloneQualityView, Type.Null()], { description: "null until the samples were measured." }),
    samples: Type.Array(SampleView),
  },
  { $id: "VoiceCloneDetail", description: "A voice clone with its recordings and what was measured of them." },
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
    isTrainable: Type.Boolean({ description: "Whether a training with these files would find enough speech." }),
    quality: CloneQualityView,
    samples: Type.Array(Type.Object({ fileName: Type.String(), ...StoredFileView, quality: SampleQualityView })),
  },
  { $id: "VoiceSampleCheck", description: "What a training would find in these files; nothing was stored." },
);
export type CheckView = Static<typeof CheckView>;
