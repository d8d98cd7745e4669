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
import { tell, tellError } from "../../ui/toast.tsx";
import { fieldInWords } from "../enrichment/field-words.ts";
import { TestProviderDialog } from "./test-provider.tsx";

/** Who is asked about people, and in which order. */
export function ProviderList() {
  const settings = useResource((signal) => api.get<SettingsView>("/enrich/settings", { signal }), [], {
    pollMs: 30_000,
  });
  return (
    <Loaded resource={settings}>
      {(loaded) =>
        loaded.available.length === 0 ? (
          <EmptyState icon="enrichment" title="No providers">
            <p>The configuration of the server names those that may be asked, with their keys.</p>
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
      tell("Saved.");
    } catch (error) {
      tellError(error);
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
      <p class="faint">The first is asked first; the next only for what is not sure enough yet.</p>
      <ol class="form" aria-label="Asked, in this order">
        {order.map((name, index) => (
          <li key={name} class="card provider">
            <Provider name={name} provider={byName.get(name)} place={index + 1} />
            <div class="buttons">
              <TestButton name={name} onTest={setTested} />
              <Button
                kind="quiet"
                icon="up"
                aria-label={`Ask ${name} earlier`}
                disabled={index === 0}
                onClick={() => move(index, index - 1)}
              />
              <Button
                kind="quiet"
                icon="down"
                aria-label={`Ask ${name} later`}
                disabled={index === order.length - 1}
                onClick={() => move(index, index + 1)}
              />
              <Button
                kind="quiet"
                icon="close"
                aria-label={`Don’t ask ${name}`}
                disabled={order.length === 1}
                onClick={() => setOrder(order.toSpliced(index, 1))}
              />
            </div>
          </li>
        ))}
      </ol>
      {rest.length > 0 && (
        <>
          <h2>Not asked</h2>
          <ul class="form">
            {rest.map((provider) => (
              <li key={provider.name} class="card provider">
                <Provider name={provider.name} provider={provider} />
                <div class="buttons">
                  <TestButton name={provider.name} onTest={setTested} />
                  <Button icon="plus" onClick={() => setOrder([...order, provider.name])}>
                    Ask it too
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
            As the server is configured
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

const stateWords = {
  ready: { tone: "good", label: "Ready" },
  paused: { tone: "warn", label: "Pauses" },
  exhausted: { tone: "bad", label: "Cap of this month reached" },
} as const;

function Provider({ name, provider, place }: { name: string; provider: ProviderView | undefined; place?: number }) {
  return (
    <div>
      <h3>
        {place !== undefined && <span class="faint">{place}. </span>}
        {name} {provider && <Badge tone={stateWords[provider.state].tone}>{stateWords[provider.state].label}</Badge>}
      </h3>
      {provider === undefined ? (
        <p class="faint small">No longer configured on the server.</p>
      ) : (
        <>
          <p class="faint small">Fields: {provider.fields.map(fieldInWords).join(" · ")}</p>
          <p class="faint small">
            {count(provider.creditsUsed)} of its own credits used this month
            {provider.spendCap !== null && `, of at most ${count(provider.spendCap)}`}
            {provider.pausedUntil !== null && (
              <>
                ; asked again <RelativeTime at={provider.pausedUntil} />
              </>
            )}
          </p>
        </>
      )}
    </div>
  );
}
