import { useState } from "preact/hooks";
import type { CheckView, CloneView } from "../../../../../features/voice/model.ts";
import { api, RequestError } from "../../api.ts";
import { navigate } from "../../router.tsx";
import { Button } from "../../ui/button.tsx";
import { CheckField, FormError, TextArea, TextField, useForm } from "../../ui/form.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { tell, tellError } from "../../ui/toast.tsx";
import { VoiceReport } from "./quality.tsx";
import { Recorder } from "./recorder.tsx";
import { Player } from "./player.tsx";
import { SamplePicker } from "./sample-picker.tsx";
import { formOf } from "./words.ts";

const no: boolean = false;

/** From recordings to a voice in training. Recordings are measured before anything is stored. */
export function NewVoicePage() {
  const [files, setFiles] = useState<File[]>([]);
  const [report, setReport] = useState<CheckView | null>(null);
  const [isChecking, setIsChecking] = useState(false);
  const [consentRecording, setConsentRecording] = useState<File | null>(null);

  const form = useForm({ name: "", description: "", speakerName: "", attested: no }, async (values) => {
    if (files.length === 0) throw new RequestError("Record something, or drop at least one recording.");
    if (!values.attested)
      throw new RequestError("A voice is cloned only with the consent of the person: tick that they agreed.");
    const consent = { attested: true, speakerName: values.speakerName };
    const body = formOf(files, {
      name: values.name,
      ...(values.description.trim() !== "" && { description: values.description }),
      consent: JSON.stringify(consent),
    });
    if (consentRecording !== null) body.append("consentRecording", consentRecording, consentRecording.name);
    const { voiceId } = await api.post<Pick<CloneView, "voiceId">>("/voice-clones", body);
    tell(`${values.name} is being trained.`);
    navigate(`/voice/${voiceId}`);
  });

  async function check() {
    setIsChecking(true);
    try {
      setReport(await api.post<CheckView>("/voice-clones/check", formOf(files)));
    } catch (error) {
      tellError(error);
    } finally {
      setIsChecking(false);
    }
  }

  return (
    <PageFrame title="Clone a voice" back={{ to: "/voice", label: "Voices" }}>
      <form class="form" onSubmit={form.onSubmit}>
        <section class="card form">
          <h2>Recordings</h2>
          <SamplePicker
            files={files}
            report={report}
            onChange={(changed) => {
              setFiles(changed);
              setReport(null);
            }}
          />
          <div class="buttons">
            <Button isBusy={isChecking} disabled={files.length === 0} onClick={() => void check()}>
              Check the quality
            </Button>
            {isChecking && <span class="faint small">Some seconds for each minute of speech. Nothing is stored.</span>}
          </div>
          <div role="status">
            {report !== null && (
              <>
                <p class={`notice ${report.isTrainable ? "" : "warn"}`}>
                  {report.isTrainable
                    ? "A voice can be made of these."
                    : "These are not enough for a voice: see below what to do about it."}
                </p>
                <VoiceReport quality={report.quality} />
              </>
            )}
          </div>
        </section>
        <section class="card form">
          <h2>The voice</h2>
          <div class="fields">
            <TextField form={form} name="name" label="Name" maxLength={200} required />
            <TextField
              form={form}
              name="speakerName"
              path="consent.speakerName"
              label="Whose voice it is"
              hint="Kept with the consent, as long as the voice."
              maxLength={200}
              required
            />
          </div>
          <TextArea form={form} name="description" label="Description" rows={2} maxLength={2000} isOptional />
          <CheckField
            form={form}
            name="attested"
            path="consent.attested"
            label="This person agreed that their voice is cloned from these recordings, and that the clone is used"
          />
          <div class="buttons" data-path="consentRecording">
            <Recorder
              label={consentRecording === null ? "Record them saying so" : "Record it again"}
              fileName="consent.wav"
              onRecorded={setConsentRecording}
            />
            {consentRecording !== null && (
              <>
                <Player label="The consent" load={() => Promise.resolve(consentRecording)} />
                <Button
                  kind="quiet"
                  icon="close"
                  aria-label="Leave the recording of the consent out"
                  onClick={() => setConsentRecording(null)}
                />
              </>
            )}
            <span class="hint">Some servers ask for it. The speaker reads the sentence above aloud.</span>
          </div>
          {form.errors["consentRecording"] !== undefined && (
            <p class="field-error" role="alert">
              {form.errors["consentRecording"]}
            </p>
          )}
        </section>
        <FormError form={form} />
        <div class="buttons">
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Train the voice
          </Button>
        </div>
      </form>
    </PageFrame>
  );
}
