import { useEffect, useState } from "preact/hooks";
import type { CloneDetailView } from "../../../../../features/voice/model.ts";
import { api } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { FormError, TextArea, useForm } from "../../ui/form.tsx";
import { Sound } from "./player.tsx";
import { Slider } from "./slider.tsx";

const maxCharacters = 1000;

/** Speaks a text with the voice, with settings for this preview only. */
export function PreviewForm({ voice, path }: { voice: CloneDetailView; path: string }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => () => (url === null ? undefined : URL.revokeObjectURL(url)), [url]);
  const form = useForm(
    {
      text: "Hello! This is how I sound. Do you have ten minutes on Thursday?",
      stability: String(voice.settings.stability),
      clarity: String(voice.settings.clarity),
    },
    async ({ text, stability, clarity }) => {
      const answer = await api.answer("POST", `${path}/preview`, {
        body: { text, settings: { stability: Number(stability), clarity: Number(clarity) } },
      });
      setUrl(URL.createObjectURL(await answer.blob()));
    },
  );
  return (
    <form class="card form" onSubmit={form.onSubmit}>
      <FormError form={form} />
      <TextArea
        form={form}
        name="text"
        label="Text"
        rows={3}
        maxLength={maxCharacters}
        required
        hint={`${form.values.text.length} of ${maxCharacters} characters`}
      />
      <div class="fields">
        <Slider form={form} name="stability" label="Stability" low="Expressive" high="Even" />
        <Slider form={form} name="clarity" label="Clarity" low="Natural" high="Close to the recordings" />
      </div>
      <div class="buttons">
        <Button kind="primary" type="submit" icon="play" isBusy={form.isBusy} disabled={!voice.isActive}>
          Play
        </Button>
        {!voice.isActive && <span class="hint">The voice is deactivated. Activate it in the settings below.</span>}
        {url !== null && <Sound label="Voice preview" url={url} />}
      </div>
      <p class="hint">The audio is marked as synthetic.</p>
    </form>
  );
}
