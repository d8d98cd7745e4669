import { useState } from "preact/hooks";
import type { ProviderView, SettingsView } from "../../../../../features/enrichment/model.ts";
import { api } from "../../api.ts";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { session } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { fieldLabel } from "../enrichment/field-labels.ts";
import { TestProviderDialog } from "./test-provider.tsx";

/** The enrichment providers, and the order in which they are queried. */
export function ProviderList() {
  const settings = useResource((signal) => api.get<SettingsView>("/enrich/settings", { signal }), [], {
    pollMs: 30_000,
  });
  return (
    <Loaded resource={settings}>
      {(loaded) =>
        loaded.available.length === 0 ? (
          <EmptyState icon="enrichment" title="No providers">
            <p>Add providers and their API keys in the server configuration.</p>
          </EmptyState>
        ) : (
          <ProviderOrder key={loaded.providers.join()} settings={loaded} onSaved={settings.replace} />
        )
      }
    </Loaded>
  );
}

function ProviderOrder({ settings, onSaved }: { settings: SettingsView; onSaved: (settings: SettingsView) => void }) {
  const [order, setOrder] = useState<readonly string[]>(settings.providers);
  const [isBusy, setIsBusy] = useState(false);
  const [tested, setTested] = useState<string | null>(null);
  const isChanged = order.join() !== settings.providers.join();
  const byName = new Map(settings.available.map((provider) => [provider.name, provider]));
  const rest = settings.available.filter(({ name }) => !order.includes(name));

  async function save(providers: readonly string[] | null) {
    setIsBusy(true);
    try {
      onSaved(await api.put<SettingsView>("/enrich/settings", { providers }));
      showSuccess("Saved.");
    } catch (error) {
      showError(error);
    } finally {
      setIsBusy(false);
    }
  }
  const move = (at: number, to: number) => {
    const name = order[at];
    if (name !== undefined) setOrder(order.toSpliced(at, 1).toSpliced(to, 0, name));
  };

  return (
    <div class="form">
      <p class="faint">
        Providers are queried in this order. Each one is queried only for fields without enough confidence.
      </p>
      <ol class="form" aria-label="Provider order">
        {order.map((name, index) => (
          <li key={name} class="card provider">
            <Provider name={name} provider={byName.get(name)} place={index + 1} />
            <div class="buttons">
              <TestButton name={name} onTest={setTested} />
              <Button
                kind="quiet"
                icon="up"
                aria-label={`Move ${name} up`}
                disabled={index === 0}
                onClick={() => move(index, index - 1)}
              />
              <Button
                kind="quiet"
                icon="down"
                aria-label={`Move ${name} down`}
                disabled={index === order.length - 1}
                onClick={() => move(index, index + 1)}
              />
              <Button
                kind="quiet"
                icon="close"
                aria-label={`Disable ${name}`}
                disabled={order.length === 1}
                onClick={() => setOrder(order.toSpliced(index, 1))}
              />
            </div>
          </li>
        ))}
      </ol>
      {rest.length > 0 && (
        <>
          <h2>Disabled</h2>
          <ul class="form">
            {rest.map((provider) => (
              <li key={provider.name} class="card provider">
                <Provider name={provider.name} provider={provider} />
                <div class="buttons">
                  <TestButton name={provider.name} onTest={setTested} />
                  <Button icon="plus" onClick={() => setOrder([...order, provider.name])}>
                    Enable
                  </Button>
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="buttons">
        <Button kind="primary" isBusy={isBusy} disabled={!isChanged} onClick={() => void save(order)}>
          Save order
        </Button>
        {!settings.isDefault && (
          <Button isBusy={isBusy} onClick={() => void save(null)}>
            Restore default
          </Button>
        )}
      </div>
      {tested !== null && <TestProviderDialog name={tested} onClose={() => setTested(null)} />}
    </div>
  );
}

function TestButton({ name, onTest }: { name: string; onTest: (name: string) => void }) {
  if (session.value?.isAdmin !== true) return null;
  return (
    <Button aria-label={`Test ${name}`} onClick={() => onTest(name)}>
      Test
    </Button>
  );
}

const stateLabels = {
  ready: { tone: "good", label: "Ready" },
  paused: { tone: "warn", label: "Paused" },
  exhausted: { tone: "bad", label: "Monthly cap reached" },
} as const;

function Provider({ name, provider, place }: { name: string; provider: ProviderView | undefined; place?: number }) {
  return (
    <div>
      <h2>
        {place !== undefined && <span class="faint">{place}. </span>}
        {name} {provider && <Badge tone={stateLabels[provider.state].tone}>{stateLabels[provider.state].label}</Badge>}
      </h2>
      {provider === undefined ? (
        <p class="faint small">No longer configured on the server.</p>
      ) : (
        <>
          <p class="faint small">Fields: {provider.fields.map(fieldLabel).join(" · ")}</p>
          <p class="faint small">
            {count(provider.creditsUsed)} {provider.spendCap !== null && `of ${count(provider.spendCap)} `}provider
            credits used this month
            {provider.pausedUntil !== null && (
              <>
                ; resumes <RelativeTime at={provider.pausedUntil} />
              </>
            )}
          </p>
        </>
      )}
    </div>
  );
}
