import { useState } from "preact/hooks";
import type { AccountView } from "../../../../../features/network/account-model.ts";
import { api, getAll } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { can, session } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";

type Step = { label: string; hint: string; to: string; isDone: boolean };

const storageKey = "outreachd.checklist.hidden";

/** The way to the first reply, until all of it is done or the user hides it. */
export function Checklist() {
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(storageKey) === session.value?.user.id);
  if (isHidden || !can("leads:write") || !can("network:schedule")) return null;
  return (
    <Steps
      onHide={() => {
        localStorage.setItem(storageKey, session.value?.user.id ?? "");
        setIsHidden(true);
      }}
    />
  );
}

function Steps({ onHide }: { onHide: () => void }) {
  const { data } = useResource(loadSteps, [], {
    pollMs: 60_000,
    events: ["lead.created", "leads.imported", "campaign.", "action.scheduled", "action.completed", "account."],
  });
  if (data === undefined || data.every(({ isDone }) => isDone)) return null;
  const next = data.find(({ isDone }) => !isDone);
  const done = data.filter(({ isDone }) => isDone).length;
  return (
    <section class="card checklist" aria-labelledby="checklist">
      <header>
        <h2 id="checklist">Get started</h2>
        <span class="faint small number">
          {done} of {data.length} done
        </span>
        <Button kind="quiet" icon="close" aria-label="Hide these steps" title="Hide" onClick={onHide} />
      </header>
      <ol>
        {data.map((step) => (
          <li key={step.label} class={step.isDone ? "done" : step === next ? "next" : ""}>
            <span class="check-mark">{step.isDone && <Icon name="check" />}</span>
            <span class="check-text">
              {step.isDone ? step.label : <Link to={step.to}>{step.label}</Link>}
              <span class="visually-hidden">{step.isDone ? " (done)" : ""}</span>
              {step === next && <span class="faint small block">{step.hint}</span>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

async function loadSteps(signal: AbortSignal): Promise<Step[]> {
  const one = { query: { limit: 1 }, signal, priority: "low" } as const;
  const [accounts, leads, campaigns, actions] = await Promise.all([
    getAll<AccountView>("/network/accounts", "accounts", { signal }),
    api.get<{ total: number }>("/leads", one),
    api.get<{ campaigns: unknown[] }>("/campaigns", one),
    api.get<{ actions: unknown[] }>("/network/actions", one),
  ]);
  return [
    {
      label: "Say who you are",
      hint: "Your name and time zone, and when you work.",
      to: "/welcome",
      isDone: session.value?.user.name !== null,
    },
    {
      label: "Add a network account",
      hint: "Decide who sends: you, a worker, or a vendor.",
      to: "/settings?part=accounts",
      isDone: accounts.length > 0,
    },
    {
      label: "Import leads",
      hint: "Drop a CSV file, or find people under Prospects.",
      to: "/leads/import",
      isDone: leads.total > 0,
    },
    {
      label: "Create a campaign",
      hint: "A sequence of requests and messages that stops at a reply.",
      to: "/campaigns/new",
      isDone: campaigns.campaigns.length > 0,
    },
    {
      label: "Schedule the first action",
      hint: "Start the campaign, or select leads and schedule an action for them.",
      to: "/leads",
      isDone: actions.actions.length > 0,
    },
  ];
}
