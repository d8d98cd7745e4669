import { counted, fileSize } from "../../format.ts";
import { Button } from "../../ui/button.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { showProblem } from "../../ui/toast.tsx";
import type { CheckView } from "../../../../../features/voice/model.ts";
import { Player } from "./player.tsx";
import { SampleReport } from "./quality.tsx";
import { Recorder } from "./recorder.tsx";
import { audioTypes, maxSampleBytes, maxSamples } from "./labels.ts";

type SamplePickerProps = {
  files: readonly File[];
  onChange: (files: File[]) => void;
  /** How many more recordings the voice can have. */
  room?: number;
  report?: CheckView | null;
};

/** Recordings that are dropped, selected, or recorded here. Each can be played before it is submitted. */
export function SamplePicker({ files, onChange, room = maxSamples, report = null }: SamplePickerProps) {
  function add(more: readonly File[]) {
    const tooLarge = more.filter(({ size }) => size > maxSampleBytes);
    if (tooLarge.length > 0)
      showProblem(`Not added, larger than 50 MB: ${tooLarge.map(({ name }) => name).join(", ")}`);
    const taken = more.filter(({ size }) => size <= maxSampleBytes);
    if (files.length + taken.length > room) showProblem(`You can add at most ${counted(room, "recording")}.`);
    onChange([...files, ...taken].slice(0, room));
  }
  return (
    <div class="form">
      <FileDrop
        label="Drop recordings of one person"
        hint="WAV, MP3, M4A, or FLAC, up to 10 files of 50 MB each. One to three minutes of clear speech in total is best."
        accept={audioTypes}
        isMultiple
        onFiles={add}
      />
      <div class="buttons">
        <Recorder
          label="Record here"
          fileName={`recording-${files.length + 1}.wav`}
          onRecorded={(file) => add([file])}
        />
      </div>
      {files.length > 0 && (
        <ul class="samples" aria-label="Recordings">
          {files.map((file, index) => {
            const quality = report?.samples[index]?.quality;
            return (
              <li key={`${file.name} ${index}`} class="card sample">
                <div class="sample-head">
                  <span class="two-lines">
                    <span>{file.name}</span>
                    <span>{fileSize(file.size)}</span>
                  </span>
                  <div class="buttons">
                    <Player label={file.name} load={() => Promise.resolve(file)} />
                    <Button
                      kind="quiet"
                      icon="close"
                      aria-label={`Remove ${file.name}`}
                      onClick={() => onChange(files.filter((one) => one !== file))}
                    />
                  </div>
                </div>
                {quality && <SampleReport quality={quality} />}
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
