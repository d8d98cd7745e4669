import { useState } from "preact/hooks";
import type { DeliveryState, DeliveryView } from "../../../../../features/webhooks/model.ts";
import { api } from "../../api.ts";
import { useCursorPages } from "../../cursor-pages.ts";
import { useResource } from "../../resource.ts";
import { can } from "../../session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/form.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { DateTime, RelativeTime } from "../../ui/time.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { deliveryStateLabels } from "./webhook-labels.ts";

/** Deliveries, newest first: each event with its attempts and their responses. */
export function DeliveryLog({ path }: { path: string }) {
  const [state, setState] = useState<DeliveryState | "">("");
  const [open, setOpen] = useState<DeliveryView | null>(null);
  const { cursor, paging } = useCursorPages("deliveries", [path, state]);
  const log = useResource(
    (signal) =>
      api.get<{ deliveries: DeliveryView[]; nextCursor: string | null }>(`${path}/deliveries`, {
        query: { state, before: cursor, limit: 25 },
        signal,
      }),
    [path, state, cursor],
    { pollMs: 4000, events: ["webhook."] },
  );
  const columns: readonly Column<DeliveryView>[] = [
    {
      id: "type",
      header: "Event",
      cell: (delivery) => (
        <button type="button" class="link" onClick={() => setOpen(delivery)}>
          {delivery.type}
        </button>
      ),
    },
    { id: "state", header: "State", cell: (one) => <StateBadge words={deliveryStateLabels} state={one.state} /> },
    {
      id: "answer",
      header: "Last response",
      hideBelow: "medium",
      cell: ({ attempts }) => {
        const last = attempts.at(-1);
        return last === undefined ? "–" : (last.error ?? `${last.status} in ${last.latencyMs} ms`);
      },
    },
    {
      id: "attempts",
      header: "Attempts",
      align: "right",
      hideBelow: "small",
      cell: ({ attempts }) => attempts.length,
    },
    { id: "at", header: "Event time", cell: ({ happenedAt }) => <RelativeTime at={happenedAt} /> },
  ];
  return (
    <>
      <div class="filter-row">
        <Field label="State">
          {(control) => (
            <select
              {...control}
              value={state}
              onChange={(event) => setState(event.currentTarget.value as DeliveryState | "")}
            >
              <option value="">All</option>
              {Object.entries(deliveryStateLabels).map(([name, { label }]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <DataTable
        label="Deliveries"
        columns={columns}
        rows={log.data?.deliveries}
        rowKey={({ id }) => id}
        error={log.error}
        retry={log.reload}
        isLoading={log.isLoading}
        paging={paging(log.data?.nextCursor)}
        empty={
          <EmptyState icon="external" title="No deliveries">
            <p>Send a test event to check your endpoint.</p>
          </EmptyState>
        }
      />
      {open !== null && (
        <DeliveryDialog delivery={open} path={path} onClose={() => setOpen(null)} onAgain={log.reload} />
      )}
    </>
  );
}

function DeliveryDialog({
  delivery,
  path,
  onClose,
  onAgain,
}: {
  delivery: DeliveryView;
  path: string;
  onClose: () => void;
  onAgain: () => void;
}) {
  const [isBusy, setIsBusy] = useState(false);
  async function again() {
    setIsBusy(true);
    try {
      await api.post(`${path}/deliveries/${delivery.id}/replay`);
      showSuccess("Redelivery scheduled.");
      onAgain();
      onClose();
    } catch (error) {
      showError(error);
      setIsBusy(false);
    }
  }
  return (
    <Dialog title={delivery.type} onClose={onClose} isSide>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <StateBadge words={deliveryStateLabels} state={delivery.state} />
        </dd>
        <dt>Event time</dt>
        <dd>
          <DateTime at={delivery.happenedAt} />
        </dd>
        {delivery.nextAttemptAt !== null && (
          <>
            <dt>Next attempt</dt>
            <dd>
              <RelativeTime at={delivery.nextAttemptAt} />
            </dd>
          </>
        )}
        <dt>webhook-id</dt>
        <dd>
          <code>{delivery.webhookId}</code>
        </dd>
      </dl>
      {delivery.attempts.length > 0 && (
        <ol class="timeline" aria-label="Attempts">
          {delivery.attempts.map(({ at, status, latencyMs, error, response }) => (
            <li key={at}>
              <strong>{error ?? `Status ${status}`}</strong>{" "}
              <span class="faint small">
                <DateTime at={at} />, {latencyMs} ms
              </span>
              {response !== "" && <pre class="excerpt">{response}</pre>}
            </li>
          ))}
        </ol>
      )}
      <h3>Payload</h3>
      <pre class="excerpt" tabIndex={0} aria-label="Payload">
        {JSON.stringify(delivery.payload, null, 2)}
      </pre>
      {can("webhooks:write") && (
        <footer class="buttons">
          <Button isBusy={isBusy} onClick={() => void again()}>
            Redeliver
          </Button>
        </footer>
      )}
    </Dialog>
  );
}
