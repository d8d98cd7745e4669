import { goToPages } from "../global-shortcuts.ts";
import { commandKey, pageShortcuts, type Shortcut } from "../shortcuts.ts";
import { Dialog } from "../ui/dialog.tsx";

const everywhere: readonly Shortcut[] = [
  { keys: `${commandKey}K`, label: "Search and commands" },
  { keys: "/", label: "Search on this page" },
  { keys: "Z", label: "Undo, while “Undo” is shown" },
  { keys: "?", label: "This list" },
  { keys: "Esc", label: "Close a dialog or a menu" },
];

/** The keyboard shortcuts of the dashboard and of the current page. */
export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const own = pageShortcuts.value;
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} isWide>
      <div class="shortcut-columns">
        {own !== null && <Shortcuts title={own.title} shortcuts={own.shortcuts} />}
        <Shortcuts title="Everywhere" shortcuts={everywhere} />
        <Shortcuts
          title="Go to a page"
          shortcuts={goToPages().map(({ key, title }) => ({ keys: `G ${key.toUpperCase()}`, label: title }))}
        />
      </div>
    </Dialog>
  );
}

function Shortcuts({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl class="shortcuts">
        {shortcuts.map(({ keys, label }) => (
          <div key={keys}>
            <dt>{label}</dt>
            <dd>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
