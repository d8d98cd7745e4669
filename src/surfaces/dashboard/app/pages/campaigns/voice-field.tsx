import type { CloneView } from "../../../../../features/voice/model.ts";
import { api } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { can } from "../../session.ts";
import { Field } from "../../ui/form.tsx";

type VoiceFieldProps = {
  voiceId: string;
  path: string;
  error: string | undefined;
  onChange: (voiceId: string) => void;
};

/** Selects the voice that speaks the message. */
export function VoiceField({ voiceId, path, error, onChange }: VoiceFieldProps) {
  const voices = useResource(
    (signal) =>
      can("voice:read")
        ? api.get<{ voiceClones: CloneView[] }>("/voice-clones", { query: { status: "ready", limit: 100 }, signal })
        : Promise.resolve({ voiceClones: [] }),
    [],
  );
  const list = voices.data?.voiceClones ?? [];
  const isKnown = voiceId === "" || list.some((voice) => voice.voiceId === voiceId);
  return (
    <Field
      label="Voice"
      error={error}
      {...(voices.data !== undefined &&
        list.length === 0 && { hint: "No voice is ready yet. Create one on the Voice page." })}
    >
      {(control) => (
        <select {...control} data-path={path} value={voiceId} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">Select a voice</option>
          {!isKnown && <option value={voiceId}>{voiceId}</option>}
          {list.map(({ voiceId: id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
