import { useState } from "preact/hooks";
import { copyText } from "../clipboard.ts";
import { Button } from "./button.tsx";

/** A text to take along, with a button that copies it. Selected as a whole, so that it can also be copied by hand. */
export function CopyText({ label, text }: { label: string; text: string }) {
  const [state, setState] = useState<"" | "Copied" | "Copy it by hand">("");
  async function copy() {
    setState((await copyText(text)) ? "Copied" : "Copy it by hand");
  }
  return (
    <div class="copy">
      <input
        type="text"
        aria-label={label}
        readOnly
        value={text}
        spellcheck={false}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button icon="copy" onClick={() => void copy()}>
        Copy
      </Button>
      <p class="hint" role="status">
        {state}
      </p>
    </div>
  );
}
