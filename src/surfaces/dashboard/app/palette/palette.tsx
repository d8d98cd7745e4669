import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { CampaignView } from "../../../../features/campaigns/model.ts";
import type { LeadView } from "../../../../features/leads/model.ts";
import { api, getAll } from "../api.ts";
import { oneAtATime } from "../one-at-a-time.ts";
import { nameOf } from "../person.ts";
import { useResource } from "../resource.ts";
import { navigate } from "../router.tsx";
import { can } from "../session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { fixedCommands, type Command } from "./commands.ts";
import { ranked } from "./ranking.ts";

/** Shown of each group while nothing is typed, and at most while something is. */
const shownPerGroup = 8;
const minNameLength = 2;

/** Finds pages, actions, campaigns, and leads by name (ARIA Authoring Practices: combobox with a list). */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const { commands, isSearching } = useCommands(text);
  const chosen = commands[Math.min(at, commands.length - 1)];

  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, commands.length]);

  function run(command: Command | undefined) {
    if (command === undefined) return;
    onClose();
    command.run();
  }
  function onKeyDown(event: KeyboardEvent) {
    const last = commands.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: at >= last ? 0 : at + 1,
      ArrowUp: at <= 0 ? last : at - 1,
      PageDown: Math.min(last, at + shownPerGroup),
      PageUp: Math.max(0, at - shownPerGroup),
    };
    const move = moves[event.key];
    if (move === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (move !== undefined) setAt(Math.max(0, move));
    else if (!event.isComposing) run(chosen);
  }

  return (
    <Dialog title="Search and commands" onClose={onClose} isPalette>
      <input
        type="text"
        class="palette-input"
        role="combobox"
        aria-label="Search pages, leads, campaigns, and actions"
        aria-expanded={commands.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={chosen && `${listId}-${commands.indexOf(chosen)}`}
        placeholder="Search pages, leads, campaigns, and actions"
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        autofocus
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} class="palette-list" role="listbox" aria-label="Results" tabIndex={-1} ref={list}>
        {groupsOf(commands).map(({ group, from, members }) => (
          <div key={group} role="group" aria-labelledby={`${listId}-${group}`}>
            <p id={`${listId}-${group}`} class="palette-group" role="presentation">
              {group}
            </p>
            {members.map((command, index) => (
              <div
                key={command.id}
                id={`${listId}-${from + index}`}
                class="palette-item"
                role="option"
                aria-selected={command === chosen}
                onPointerMove={() => setAt(from + index)}
                onClick={() => run(command)}
              >
                <Icon name={command.icon} />
                <span class="palette-label">{command.label}</span>
                {command.detail !== undefined && <span class="palette-detail">{command.detail}</span>}
              </div>
            ))}
          </div>
        ))}
      </div>
      <p class="palette-status" role="status">
        {commands.length > 0 ? "" : isSearching ? "Searching…" : `Nothing found for “${text.trim()}”.`}
      </p>
    </Dialog>
  );
}

type Group = { group: Command["group"]; from: number; members: Command[] };

/** Neighbors of the same group under one heading. */
function groupsOf(commands: readonly Command[]): Group[] {
  const groups: Group[] = [];
  for (const [index, command] of commands.entries()) {
    const last = groups.at(-1);
    if (last?.group === command.group) last.members.push(command);
    else groups.push({ group: command.group, from: index, members: [command] });
  }
  return groups;
}

/** What matches: the groups in the order of their best match, except that leads, which the server finds, come last. */
function useCommands(text: string): { commands: Command[]; isSearching: boolean } {
  const campaigns = useResource(
    async (signal) => (can("network:read") ? getAll<CampaignView>("/campaigns", "campaigns", { signal }) : []),
    [],
  );
  const name = text.trim();
  const isNamed = can("leads:read") && name.length >= minNameLength;
  const [inTurn] = useState(oneAtATime);
  const found = useResource(
    inTurn(async (signal) => {
      if (!isNamed) return { name, leads: [] };
      const query = { q: name, limit: shownPerGroup };
      return { name, leads: (await api.get<{ leads: LeadView[] }>("/leads", { query, signal })).leads };
    }),
    [name, isNamed],
  );
  const fixed = fixedCommands();
  const known = [...fixed, ...(campaigns.data ?? []).map(campaignCommand)];
  const matching = ranked(name === "" ? fixed : known, name);
  const order = [...new Set(matching.map(({ group }) => group))];
  const leads = found.data?.name === name ? found.data.leads.map(leadCommand) : [];
  return {
    commands: [
      ...order.flatMap((group) =>
        matching.filter((command) => command.group === group).slice(0, name === "" ? undefined : shownPerGroup),
      ),
      ...leads,
    ],
    isSearching: isNamed && found.data?.name !== name,
  };
}

function campaignCommand({ id, name, state }: CampaignView): Command {
  const open = () => navigate(`/campaigns/${id}`);
  return { id: `campaign ${id}`, group: "Campaigns", label: name, detail: state, icon: "campaigns", run: open };
}

function leadCommand(lead: LeadView): Command {
  const detail = [lead.title, lead.company].filter(Boolean).join(", ");
  const open = () => navigate(`/leads/${lead.id}`);
  return {
    ...{ id: `lead ${lead.id}`, group: "Leads", label: nameOf(lead), icon: "leads", run: open },
    ...(detail !== "" && { detail }),
  };
}
