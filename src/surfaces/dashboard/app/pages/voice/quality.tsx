import type { CheckView, CloneDetailView, SampleView } from "../../../../../features/voice/model.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { minutesAndSeconds } from "../../format.ts";

type Verdict = CheckView["quality"]["verdict"];
type SampleQuality = NonNullable<SampleView["quality"]>;
type CloneQuality = NonNullable<CloneDetailView["quality"]>;

const verdictLabels: Record<Verdict, { tone: Tone; label: string }> = {
  good: { tone: "good", label: "Good" },
  usable: { tone: "info", label: "Usable" },
  poor: { tone: "warn", label: "Poor" },
  unusable: { tone: "bad", label: "Unusable" },
};

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  return <Badge tone={verdictLabels[verdict].tone}>{verdictLabels[verdict].label}</Badge>;
}

/** Quality of a recording, and how to improve it. */
export function SampleReport({ quality }: { quality: SampleQuality }) {
  const { verdict, problems, measures } = quality;
  return (
    <div class="quality">
      <p>
        <VerdictBadge verdict={verdict} />{" "}
        {measures && (
          <span class="faint small">
            {minutesAndSeconds(measures.speechSeconds)} of speech in {minutesAndSeconds(measures.seconds)} · voice{" "}
            {Math.round(measures.snrDb)} dB above the background · level {Math.round(measures.levelDb)} dB
          </span>
        )}
      </p>
      <Problems problems={problems} />
    </div>
  );
}

/** Quality of all recordings together. */
export function VoiceReport({ quality }: { quality: CloneQuality }) {
  const { verdict, usableSamples, speechSeconds, speakers, problems, notes } = quality;
  return (
    <div class="card quality">
      <p>
        <VerdictBadge verdict={verdict} /> {minutesAndSeconds(speechSeconds)} of speech in {usableSamples} usable
        recordings
        {speakers > 1 && `, from ${speakers} different speakers`}
      </p>
      <Problems problems={problems} />
      {notes.length > 0 && (
        <ul class="faint small">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Problems({ problems }: { problems: readonly { code: string; message: string }[] }) {
  if (problems.length === 0) return null;
  return (
    <ul class="quality-problems small">
      {problems.map(({ code, message }) => (
        <li key={code}>{message}</li>
      ))}
    </ul>
  );
}
