import type { CloneView } from "../../../../../features/voice/model.ts";
import { getAll } from "../../api.ts";
import { counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { can } from "../../session.ts";
import { Badge, StateBadge } from "../../ui/badge.tsx";
import { Progress } from "../../ui/meter.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { voiceStatusLabels } from "./labels.ts";

export function VoicesPage() {
  const voices = useResource(
    async (signal) => ({
      voiceClones: await getAll<CloneView>("/voice-clones", "voiceClones", { query: { limit: 100 }, signal }),
    }),
    [],
    { pollMs: 2000, events: ["voice."] },
  );
  return (
    <PageFrame
      title="Voice"
      lead="Cloned voices for voice messages. Each requires the consent of the speaker."
      actions={
        // The list has this button while it is empty.
        can("voice:create") &&
        voices.data?.voiceClones.length !== 0 && (
          <Link to="/voice/new" class="button primary">
            Clone a voice
          </Link>
        )
      }
    >
      <Loaded resource={voices}>
        {({ voiceClones }) =>
          voiceClones.length === 0 ? (
            <EmptyState icon="voice" title="No voices yet">
              <p>A minute or two of clear speech is enough. Record it here or drop files.</p>
              {can("voice:create") && (
                <Link to="/voice/new" class="button primary">
                  Clone a voice
                </Link>
              )}
            </EmptyState>
          ) : (
            <ul class="cards">
              {voiceClones.map((voice) => (
                <VoiceCard key={voice.voiceId} voice={voice} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </PageFrame>
  );
}

function VoiceCard({ voice }: { voice: CloneView }) {
  const { voiceId, name, description, status, progress, message, errorMessage, isActive, sampleCount, trainedAt } =
    voice;
  return (
    <li class="card voice-card">
      <h2>
        <Link to={`/voice/${voiceId}`}>{name}</Link>
      </h2>
      <p class="badges">
        <StateBadge words={voiceStatusLabels} state={status} />
        {!isActive && <Badge>Deactivated</Badge>}
      </p>
      {description !== "" && <p class="small">{description}</p>}
      {status === "processing" && <Progress label={message} percent={progress} />}
      {errorMessage !== null && <p class="small field-error">{errorMessage}</p>}
      <p class="faint small">
        {counted(sampleCount, "recording")}
        {trainedAt !== null && (
          <>
            {" "}
            · trained <RelativeTime at={trainedAt} />
          </>
        )}
      </p>
    </li>
  );
}
