import { useId, useState } from "preact/hooks";
import { Icon } from "./icons.tsx";

type FileDropProps = {
  label: string;
  hint: string;
  /** Like the `accept` attribute of a file input: ".csv,.ndjson". */
  accept: string;
  isMultiple?: boolean;
  onFiles: (files: File[]) => void;
};

/** Accepts files that are dropped, pasted, or selected. With the keyboard, it is a plain file input. */
export function FileDrop({ label, hint, accept, isMultiple = false, onFiles }: FileDropProps) {
  const id = useId();
  const [isOver, setIsOver] = useState(false);

  function take(list: FileList | null | undefined) {
    const files = [...(list ?? [])];
    if (files.length > 0) onFiles(isMultiple ? files : files.slice(0, 1));
  }

  return (
    <div
      class={`file-drop ${isOver ? "over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        take(event.dataTransfer?.files);
      }}
      onPaste={(event) => take(event.clipboardData?.files)}
    >
      <Icon name="upload" />
      <label for={id}>{label}</label>
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
      <input
        id={id}
        type="file"
        accept={accept}
        multiple={isMultiple}
        aria-describedby={`${id}-hint`}
        onChange={(event) => {
          take(event.currentTarget.files);
          // Without this, selecting the same file again would not fire an event.
          event.currentTarget.value = "";
        }}
      />
    </div>
  );
}
