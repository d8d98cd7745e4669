import { useState } from "preact/hooks";
import type { AccountView } from "../../../../../features/network/account-model.ts";
import { useAccounts } from "../../network.ts";
import { here, Link, setQuery } from "../../router.tsx";
import { may } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { ImportWizard } from "../import/import-wizard.tsx";
import { AboutYou } from "./about-you.tsx";
import { ConnectorForm } from "./connector-form.tsx";
import { HoursForm } from "./hours-form.tsx";

const steps = [
  { name: "you", label: "You", isOpen: () => may("users:write") },
  { name: "hours", label: "Hours", isOpen: () => may("network:schedule") && may("network:read") },
  { name: "connector", label: "Connector", isOpen: () => may("network:schedule") && may("network:read") },
  { name: "import", label: "First import", isOpen: () => may("leads:write") },
  { name: "done", label: "Ready", isOpen: () => true },
] as const;
type StepName = (typeof steps)[number]["name"];

/** The first run, one question at a time. Each is kept at once, and each can be passed over. */
export function WelcomePage() {
  const open = steps.filter(({ isOpen }) => isOpen());
  const asked = here.value.query.get("step");
  const at = Math.max(
    0,
    open.findIndex(({ name }) => name === asked),
  );
  const step = open[at] ?? steps[4];
  const next = () => {
    const following = open[at + 1];
    if (following) setQuery({ step: following.name });
    scrollTo(0, 0);
  };

  return (
    <PageFrame title="Welcome" lead="Four short questions, and the first people can be reached.">
      <ol class="steps" aria-label="Steps">
        {open.map(({ name, label }, index) => (
          <li key={name} aria-current={index === at ? "step" : undefined} class={index < at ? "passed" : ""}>
            <button type="button" onClick={() => setQuery({ step: name })}>
              <span class="step-number" aria-hidden="true">
                {index < at ? "✓" : index + 1}
              </span>
              {label}
            </button>
          </li>
        ))}
      </ol>
      <Step name={step.name} next={next} />
    </PageFrame>
  );
}

function Step({ name, next }: { name: StepName; next: () => void }) {
  switch (name) {
    case "you":
      return <AboutYou onSaved={next} />;
    case "hours":
      return <WithAccount>{(account) => <HoursForm account={account} onSaved={next} onSkip={next} />}</WithAccount>;
    case "connector":
      return <WithAccount>{(account) => <ConnectorForm account={account} onSaved={next} onSkip={next} />}</WithAccount>;
    case "import":
      return <FirstImport next={next} />;
    case "done":
      return <Ready />;
  }
}

function FirstImport({ next }: { next: () => void }) {
  const [isDone, setIsDone] = useState(false);
  return (
    <div class="welcome-step wide">
      <h2>Bring your first leads</h2>
      <p class="faint">A list of people from a spreadsheet or another service. You can do this later, too.</p>
      <ImportWizard onImported={() => setIsDone(true)} />
      <div class="buttons section">
        <Button kind={isDone ? "primary" : "quiet"} onClick={next}>
          {isDone ? "Go on" : "Later"}
        </Button>
      </div>
    </div>
  );
}

/** The first account, which every person starts with. */
function WithAccount({ children }: { children: (account: AccountView) => preact.ComponentChildren }) {
  const accounts = useAccounts();
  return (
    <Loaded resource={accounts} lines={5}>
      {({ accounts: [account] }) => (account ? children(account) : <p>No network account yet. Add one in Settings.</p>)}
    </Loaded>
  );
}

function Ready() {
  return (
    <div class="welcome-step">
      <h2>You are ready</h2>
      <p>
        Choose leads and schedule a connection request, a message or a visit. The service finds the moments: within your
        hours, under the caps, at the pace of a careful person.
      </p>
      <div class="buttons">
        <Link to="/leads" class="button primary">
          Choose leads
        </Link>
        <Link to="/" class="button plain">
          Go to home
        </Link>
      </div>
    </div>
  );
}
