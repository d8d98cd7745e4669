import { useState } from "preact/hooks";
import type { CloneDetailView, CloneView } from "../../../../../features/voice/model.ts";
import type { PageProps } from "../../page-props.ts";
import { api } from "../../api.ts";
import { useResource, type Resource } from "../../resource.ts";
import { navigate } from "../../router.tsx";
import { can } from "../../session.ts";
import { Badge, StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Progress } from "../../ui/meter.tsx";
import { PageFrame, Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { DateTime } from "../../ui/time.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { Player } from "./player.tsx";
import { PreviewForm } from "./preview-form.tsx";
import { VoiceReport } from "./quality.tsx";
import { VoiceSamples } from "./voice-samples.tsx";
import { VoiceSettingsForm } from "./voice-settings.tsx";
import { voiceStatusLabels } from "./labels.ts";

/** A voice: training progress, preview, settings, recordings, and consent. */
export function VoicePage({ params }: PageProps) {
  const path = `/voice-clones/${encodeURIComponent(params["id"] ?? "")}`;
  const [isTraining, setIsTraining] = useState(true);
  const voice = useResource(
    async (signal) => {
      const loaded = await api.get<CloneDetailView>(path, { signal });
      setIsTraining(loaded.status === "processing");
      return loaded;
    },
    [path],
    { pollMs: isTraining ? 500 : 30_000, events: ["voice."] },
  );
  const { data } = voice;
  return (
    <PageFrame
      title={data?.name ?? "Voice"}
      back={{ to: "/voice", label: "Voices" }}
      lead={data && <StateLine voice={data} />}
      actions={data && <VoiceActions voice={data} path={path} onChanged={voice.reload} />}
    >
      <Loaded resource={voice} lines={8}>
        {(loaded) => <VoiceParts voice={loaded} path={path} resource={voice} />}
      </Loaded>
    </PageFrame>
  );
}

function VoiceParts({
  voice,
  path,
  resource,
}: {
  voice: CloneDetailView;
  path: string;
  resource: Resource<CloneDetailView>;
}) {
  const { status, progress, message, errorMessage, trainedAt, quality, consent } = voice;
  return (
    <>
      {status === "processing" && (
        <div class="card">
          <Progress label={message} percent={progress} />
        </div>
      )}
      {errorMessage !== null && (
        <p class="notice danger" role="alert">
          {errorMessage}
        </p>
      )}
      {trainedAt !== null && can("voice:preview") && (
        <Section title="Preview">
          <PreviewForm voice={voice} path={path} />
        </Section>
      )}
      {can("voice:update") && (
        <Section title="Settings">
          <VoiceSettingsForm key={voice.updatedAt} voice={voice} path={path} onSaved={resource.reload} />
        </Section>
      )}
      <Section title="Recordings">
        {quality !== null && <VoiceReport quality={quality} />}
        <VoiceSamples voice={voice} path={path} onChanged={resource.reload} />
      </Section>
      <Section title="Consent">
        {consent === null ? (
          <p class="faint">No consent was recorded for this voice.</p>
        ) : (
          <div class="card form">
            <p>{consent.statement}</p>
            <p class="faint small">
              {consent.speakerName}; attested with the key “{consent.attestedBy.keyName}” on{" "}
              <DateTime at={consent.attestedAt} />
            </p>
            {consent.recording !== null && (
              <Player label="Consent" load={async () => (await api.answer("GET", `${path}/consent/audio`)).blob()} />
            )}
          </div>
        )}
      </Section>
    </>
  );
}

function StateLine({ voice: { status, isActive, engine } }: { voice: CloneDetailView }) {
  return (
    <span class="badges">
      <StateBadge words={voiceStatusLabels} state={status} />
      {!isActive && <Badge>Deactivated</Badge>}
      <span>Engine: {engine}</span>
    </span>
  );
}

function VoiceActions({ voice, path, onChanged }: { voice: CloneDetailView; path: string; onChanged: () => void }) {
  const [isRemoving, setIsRemoving] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  async function retrain() {
    setIsBusy(true);
    try {
      await api.post<CloneView>(`${path}/train`);
      showSuccess("Retraining started. The current version stays in use until it is done.");
      onChanged();
    } catch (error) {
      showError(error);
    } finally {
      setIsBusy(false);
    }
  }
  return (
    <>
      {can("voice:update") && voice.status !== "processing" && (
        <Button isBusy={isBusy} onClick={() => void retrain()}>
          Retrain
        </Button>
      )}
      {can("voice:delete") && <Button onClick={() => setIsRemoving(true)}>Delete…</Button>}
      {isRemoving && (
        <ConfirmDialog
          title={`Delete ${voice.name}?`}
          confirm="Delete permanently"
          onClose={() => setIsRemoving(false)}
          onConfirm={async () => {
            await api.delete(path);
            showSuccess(`${voice.name} was deleted.`);
            navigate("/voice");
          }}
        >
          <p>
            The recordings, the trained model, and all generated speech are deleted, including at the vendor. This
            cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
