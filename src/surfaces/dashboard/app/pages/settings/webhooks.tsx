import { useState } from "preact/hooks";
import type { EndpointView, NewEndpointView } from "../../../../../features/webhooks/model.ts";
import { api, getAll } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { can } from "../../session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { EndpointSecretDialog } from "./endpoint-secret.tsx";
import { endpointStateLabels } from "./webhook-labels.ts";

const columns: readonly Column<EndpointView>[] = [
  {
    id: "url",
    header: "URL",
    cell: ({ id, url, description }) => (
      <span class="two-lines">
        <Link to={`/settings/webhooks/${id}`}>{url}</Link>
        <span>{description}</span>
      </span>
    ),
  },
  { id: "state", header: "State", cell: ({ state }) => <StateBadge words={endpointStateLabels} state={state} /> },
  {
    id: "events",
    header: "Events",
    hideBelow: "medium",
    cell: ({ events }) => (events.length === 0 || events.includes("*") ? "All" : events.join(", ")),
  },
  {
    id: "last",
    header: "Last delivered",
    hideBelow: "small",
    cell: ({ lastSuccessAt }) =>
      lastSuccessAt === null ? <span class="faint">Never</span> : <RelativeTime at={lastSuccessAt} />,
  },
];

/** The endpoints that events are posted to. */
export function WebhookList() {
  const [isNew, setIsNew] = useState(false);
  const [made, setMade] = useState<NewEndpointView | null>(null);
  const endpoints = useResource(
    async (signal) => ({ endpoints: await getAll<EndpointView>("/webhooks", "endpoints", { signal }) }),
    [],
    {
      pollMs: 15_000,
      events: ["webhook."],
    },
  );
  return (
    <>
      <div class="part-head">
        <p class="faint">Events are posted to your programs immediately, signed, and retried until they succeed.</p>
        {can("webhooks:write") && (
          <Button kind="primary" icon="plus" onClick={() => setIsNew(true)}>
            Add endpoint
          </Button>
        )}
      </div>
      <DataTable
        label="Webhooks"
        isStacked
        columns={columns}
        rows={endpoints.data?.endpoints}
        rowKey={({ id }) => id}
        error={endpoints.error}
        retry={endpoints.reload}
        isLoading={endpoints.isLoading}
        empty={
          <EmptyState icon="external" title="No webhooks">
            <p>Add the URL of your program and the events it receives.</p>
          </EmptyState>
        }
      />
      {isNew && (
        <Dialog title="Add endpoint" onClose={() => setIsNew(false)}>
          <EndpointForm
            endpoint={null}
            onCancel={() => setIsNew(false)}
            onSend={async (input) => {
              const endpoint = await api.post<NewEndpointView>("/webhooks", input);
              setIsNew(false);
              setMade(endpoint);
              endpoints.reload();
            }}
          />
        </Dialog>
      )}
      {made !== null && <EndpointSecretDialog made={made} onClose={() => setMade(null)} />}
    </>
  );
}
