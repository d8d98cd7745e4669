import { useState } from "preact/hooks";
import type { CheckView, CloneView } from "../../../../../features/voice/model.ts";
import { api, RequestError } from "../../api.ts";
import { navigate } from "../../router.tsx";
import { Button } from "../../ui/button.tsx";
import { CheckField, FormError, TextArea, TextField, useForm } from "../../ui/form.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { VoiceReport } from "./quality.tsx";
import { Recorder } from "./recorder.tsx";
import { Player } from "./player.tsx";
import { SamplePicker } from "./sample-picker.tsx";
import { formOf } from "./labels.ts";

const no: boolean = false;

/** Creates a voice from recordings. Their quality can be checked before anything is stored. */
export function NewVoicePage() {
  const [files, setFiles] = useState<File[]>([]);
  const [report, setReport] = useState<CheckView | null>(null);
  const [isChecking, setIsChecking] = useState(false);
  const [consentRecording, setConsentRecording] = useState<File | null>(null);

  const form = useForm({ name: "", description: "", speakerName: "", attested: no }, async (values) => {
    if (files.length === 0) throw new RequestError("Add at least one recording.");
    if (!values.attested)
      throw new RequestError("Cloning a voice requires the person's consent. Confirm that they agreed.");
    const consent = { attested: true, speakerName: values.speakerName };
    const body = formOf(files, {
      name: values.name,
      ...(values.description.trim() !== "" && { description: values.description }),
      consent: JSON.stringify(consent),
    });
    if (consentRecording !== null) body.append("consentRecording", consentRecording, consentRecording.name);
    const { voiceId } = await api.post<Pick<CloneView, "voiceId">>("/voice-clones", body);
    showSuccess(`${values.name} is being trained.`);
    navigate(`/voice/${voiceId}`);
  });

  async function check() {
    setIsChecking(true);
    try {
      setReport(await api.post<CheckView>("/voice-clones/check", formOf(files)));
    } catch (error) {
      showError(error);
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
              Check quality
            </Button>
            {isChecking && (
              <span class="faint small">Takes a few seconds per minute of speech. Nothing is stored.</span>
            )}
          </div>
          <div role="status">
            {report !== null && (
              <>
                <p class={`notice ${report.isTrainable ? "" : "warn"}`}>
                  {report.isTrainable
                    ? "These recordings are good enough to train a voice."
                    : "These recordings are not good enough to train a voice. See below how to improve them."}
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
              label="Speaker"
              hint="Full name of the person. Stored with the consent until the voice is deleted."
              maxLength={200}
              required
            />
          </div>
          <TextArea form={form} name="description" label="Description" rows={2} maxLength={2000} isOptional />
          <CheckField
            form={form}
            name="attested"
            path="consent.attested"
            label="The speaker has agreed to the cloning of their voice from these recordings and to the use of the clone"
          />
          <div class="buttons" data-path="consentRecording">
            <Recorder
              label={consentRecording === null ? "Record consent" : "Record again"}
              fileName="consent.wav"
              onRecorded={setConsentRecording}
            />
            {consentRecording !== null && (
              <>
                <Player label="Consent" load={() => Promise.resolve(consentRecording)} />
                <Button
                  kind="quiet"
                  icon="close"
                  aria-label="Remove the consent recording"
                  onClick={() => setConsentRecording(null)}
                />
              </>
            )}
            <span class="hint">Required by some servers. The speaker reads the sentence above aloud.</span>
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
            Train voice
          </Button>
        </div>
      </form>
    </PageFrame>
  );
}
