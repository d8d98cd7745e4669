import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { openPanel } from "../shortcuts.ts";
import { showProblem } from "../ui/toast.tsx";

type Panel = ComponentType<{ onClose: () => void }>;

const panels = {
  palette: async (): Promise<Panel> => (await import("./palette.tsx")).CommandPalette,
  help: async (): Promise<Panel> => (await import("./keyboard-help.tsx")).KeyboardHelp,
};

/** The command palette or the keyboard help, if one is open. Their code is loaded then. */
export function Panels() {
  const name = openPanel.value;
  const [loaded, setLoaded] = useState<{ name: keyof typeof panels; Panel: Panel } | null>(null);
  useEffect(() => {
    if (name === null) return;
    panels[name]().then(
      (Panel) => setLoaded({ name, Panel }),
      () => {
        openPanel.value = null;
        showProblem("This could not be loaded. Reload the page and try again.");
      },
    );
  }, [name]);
  if (name === null || loaded?.name !== name) return null;
  return (
    <loaded.Panel
      onClose={() => {
        if (openPanel.value === name) openPanel.value = null;
      }}
    />
  );
}
