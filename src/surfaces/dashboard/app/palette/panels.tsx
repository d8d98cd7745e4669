import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { openPanel } from "../shortcuts.ts";
import { showProblem } from "../ui/toast.tsx";

type Panel = ComponentType<{ onClose: () => void }>;

const imports = {
  palette: async (): Promise<Panel> => (await import("./palette.tsx")).CommandPalette,
  help: async (): Promise<Panel> => (await import("./keyboard-help.tsx")).KeyboardHelp,
};

/** The panels whose code is there. */
const loaded = signal<{ [Name in keyof typeof imports]?: Panel }>({});

/** After the page that was asked for, which needs the connection first. */
const preloadAfterMs = 1000;

/**
 * The command palette or the keyboard help, if one is open. The palette is loaded ahead and opens within the key press:
 * whoever types on right away must not lose the first letters.
 */
export function Panels() {
  const name = openPanel.value;
  useEffect(() => {
    // Without a connection it is tried again when it is opened.
    const timer = setTimeout(() => void load("palette").catch(() => {}), preloadAfterMs);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (name === null) return;
    load(name).catch(() => {
      openPanel.value = null;
      showProblem("This could not be loaded. Reload the page and try again.");
    });
  }, [name]);
  const Panel = name === null ? undefined : loaded.value[name];
  if (Panel === undefined) return null;
  return (
    <Panel
      onClose={() => {
        if (openPanel.value === name) openPanel.value = null;
      }}
    />
  );
}

async function load(name: keyof typeof imports): Promise<void> {
  if (loaded.peek()[name] !== undefined) return;
  const Panel = await imports[name]();
  loaded.value = { ...loaded.peek(), [name]: Panel };
}
