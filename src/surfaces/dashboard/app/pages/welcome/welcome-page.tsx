import { useState } from "preact/hooks";
import type { AccountView } from "../../../../../features/network/account-model.ts";
import { useAccounts } from "../../network.ts";
import { here, Link, setQuery } from "../../router.tsx";
import { can } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { ImportWizard } from "../import/import-wizard.tsx";
import { AboutYou } from "./about-you.tsx";
import { ConnectorForm } from "./connector-form.tsx";
import { HoursForm } from "./hours-form.tsx";

const steps = [
  { name: "you", label: "Profile", isOpen: () => can("users:write") },
  { name: "hours", label: "Working hours", isOpen: () => can("network:schedule") && can("network:read") },
  { name: "connector", label: "Connector", isOpen: () => can("network:schedule") && can("network:read") },
  { name: "import", label: "First import", isOpen: () => can("leads:write") },
  { name: "done", label: "Ready", isOpen: () => true },
] as const;
type StepName = (typeof steps)[number]["name"];

/** The setup wizard. Each step is saved immediately and can be skipped. */
export function WelcomePage() {
  const open = steps.filter(({ isOpen }) => isOpen());
  const requested = here.value.query.get("step");
  const at = Math.max(
    0,
    open.findIndex(({ name }) => name === requested),
  );
  const step = open[at] ?? steps[4];
  const next = () => {
    const following = open[at + 1];
    if (following) setQuery({ step: following.name });
    scrollTo(0, 0);
  };

  return (
    <PageFrame title="Welcome" lead="Set up outreachd in four short steps.">
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
      <h2>Import your first leads</h2>
      <p class="faint">Import people from a spreadsheet or another service. You can also do this later.</p>
      <ImportWizard onImported={() => setIsDone(true)} />
      <div class="buttons section">
        <Button kind={isDone ? "primary" : "quiet"} onClick={next}>
          {isDone ? "Continue" : "Skip"}
        </Button>
      </div>
    </div>
  );
}

/** The first account, which every user starts with. */
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
      <h2>You’re all set</h2>
      <p>
        Select leads and schedule a connection request, a message, or a profile visit. outreachd chooses the times,
        within your working hours, caps, and pace.
      </p>
      <div class="buttons">
        <Link to="/leads" class="button primary">
          Select leads
        </Link>
        <Link to="/" class="button plain">
          Go to Home
        </Link>
      </div>
    </div>
  );
}
