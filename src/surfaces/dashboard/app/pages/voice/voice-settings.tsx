import type { CloneDetailView } from "../../../../../features/voice/model.ts";
import { api } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField, FormError, TextArea, TextField, useForm } from "../../ui/form.tsx";
import { showSuccess } from "../../ui/toast.tsx";
import { Slider } from "./slider.tsx";

/** Name, speech settings, and state of a voice. None of them requires retraining. */
export function VoiceSettingsForm({
  voice,
  path,
  onSaved,
}: {
  voice: CloneDetailView;
  path: string;
  onSaved: () => void;
}) {
  const { settings } = voice;
  const form = useForm(
    {
      name: voice.name,
      description: voice.description,
      isActive: voice.isActive,
      stability: String(settings.stability),
      clarity: String(settings.clarity),
      speakerBoost: settings.use_speaker_boost,
    },
    async ({ name, description, isActive, stability, clarity, speakerBoost }) => {
      await api.put(path, {
        name,
        description,
        isActive,
        settings: { stability: Number(stability), clarity: Number(clarity), use_speaker_boost: speakerBoost },
      });
      showSuccess("Saved.");
      onSaved();
    },
  );
  return (
    <form class="card form" onSubmit={form.onSubmit}>
      <FormError form={form} />
      <div class="fields">
        <TextField form={form} name="name" label="Name" maxLength={200} required />
        <Slider form={form} name="stability" label="Default stability" low="Expressive" high="Even" />
        <Slider form={form} name="clarity" label="Default clarity" low="Natural" high="Close to the recordings" />
      </div>
      <TextArea form={form} name="description" label="Description" rows={2} maxLength={2000} isOptional />
      <CheckField
        form={form}
        name="speakerBoost"
        label="Speaker boost"
        hint="Brings the tone even closer to the recordings."
      />
      <CheckField form={form} name="isActive" label="Active" hint="A deactivated voice is stored but can’t be used." />
      <div class="buttons">
        <Button kind="primary" type="submit" isBusy={form.isBusy} disabled={!form.isChanged}>
          Save
        </Button>
      </div>
    </form>
  );
}
