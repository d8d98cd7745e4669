import { useState } from "preact/hooks";
import { copyText } from "../clipboard.ts";
import { Button } from "./button.tsx";

/** Text with a Copy button. Focus selects all of it, so that it can also be copied manually. */
export function CopyText({ label, text }: { label: string; text: string }) {
  const [state, setState] = useState<"" | "Copied" | "Copy it manually">("");
  async function copy() {
    setState((await copyText(text)) ? "Copied" : "Copy it manually");
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
