import { useState } from "preact/hooks";
import type { DeliveryView, EndpointView, NewEndpointView } from "../../../../../features/webhooks/model.ts";
import type { PageProps } from "../../page-props.ts";
import { api } from "../../api.ts";
import { now } from "../../clock.ts";
import { counted, instantOf } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { navigate } from "../../router.tsx";
import { can } from "../../session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { FormError, SelectField, TextField, useForm } from "../../ui/form.tsx";
import { PageFrame, Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { EndpointSecretDialog } from "./endpoint-secret.tsx";
import { endpointStateLabels } from "./webhook-labels.ts";

type OpenDialog = "rotate" | "replay" | "delete";

/** An endpoint: its state, its settings, and its deliveries. */
export function WebhookPage({ params }: PageProps) {
  const path = `/webhooks/${encodeURIComponent(params["id"] ?? "")}`;
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const [made, setMade] = useState<NewEndpointView | null>(null);
  const [isTesting, setIsTesting] = useState(false);
  const [log, setLog] = useState(0);
  const endpoint = useResource((signal) => api.get<EndpointView>(path, { signal }), [path], {
    pollMs: 10_000,
    events: ["webhook."],
  });
  const { data } = endpoint;
  const close = () => setOpenDialog(null);
  const logAgain = () => setLog((n) => n + 1);

  async function test() {
    setIsTesting(true);
    try {
      await api.post<DeliveryView>(`${path}/test`);
      showSuccess("Test event scheduled. See the deliveries below for the outcome.");
      logAgain();
    } catch (error) {
      showError(error);
    } finally {
      setIsTesting(false);
    }
  }

  return (
    <PageFrame
      title={data?.url ?? "Webhook"}
      back={{ to: "/settings?part=webhooks", label: "Webhooks" }}
      lead={data && <StateLine endpoint={data} />}
      actions={
        data &&
        can("webhooks:write") && (
          <>
            <Button isBusy={isTesting} onClick={() => void test()}>
              Send test event
            </Button>
            <Button onClick={() => setOpenDialog("replay")}>Redeliver…</Button>
            <Button onClick={() => setOpenDialog("rotate")}>Rotate secret…</Button>
            <Button onClick={() => setOpenDialog("delete")}>Delete…</Button>
          </>
        )
      }
    >
      <Loaded resource={endpoint} lines={4}>
        {(loaded) => (
          <>
            {can("webhooks:write") && (
              <div class="card">
                <EndpointForm
                  key={loaded.id}
                  endpoint={loaded}
                  onCancel={close}
                  onSend={async (input) => {
                    endpoint.replace(await api.patch<EndpointView>(path, input));
                    showSuccess("Saved.");
                  }}
                />
              </div>
            )}
            <Section title="Deliveries">
              <DeliveryLog key={log} path={path} />
            </Section>
          </>
        )}
      </Loaded>
      {openDialog === "rotate" && (
        <ConfirmDialog
          title="Rotate the signing secret?"
          kind="primary"
          confirm="Rotate secret"
          onClose={close}
          onConfirm={async () => setMade(await api.post<NewEndpointView>(`${path}/rotate`, { overlapHours: 24 }))}
        >
          <p>For 24 hours, deliveries are signed with both secrets, so that you can update your program.</p>
        </ConfirmDialog>
      )}
      {openDialog === "replay" && <ReplayDialog path={path} onClose={close} onDone={logAgain} />}
      {openDialog === "delete" && (
        <ConfirmDialog
          title="Delete this endpoint?"
          confirm="Delete endpoint"
          onClose={close}
          onConfirm={async () => {
            await api.delete(path);
            showSuccess("The endpoint was deleted.");
            navigate("/settings?part=webhooks");
          }}
        >
          <p>Its deliveries are also deleted, including pending ones. The events themselves are kept.</p>
        </ConfirmDialog>
      )}
      {made !== null && <EndpointSecretDialog made={made} onClose={() => setMade(null)} />}
    </PageFrame>
  );
}

function StateLine({ endpoint }: { endpoint: EndpointView }) {
  const { state, disabledReason, failures, failingSince, oldSecretUntil } = endpoint;
  return (
    <>
      <StateBadge words={endpointStateLabels} state={state} /> {disabledReason}
      {failures > 0 && failingSince !== null && (
        <>
          {counted(failures, "attempt")} failed since <RelativeTime at={failingSince} />.
        </>
      )}
      {oldSecretUntil !== null && (
        <>
          {" "}
          Deliveries are also signed with the old secret until <RelativeTime at={oldSecretUntil} />.
        </>
      )}
    </>
  );
}

const hourMs = 3_600_000;
const spans = [
  { value: "1", label: "Last hour" },
  { value: "24", label: "Last 24 hours" },
  { value: "168", label: "Last 7 days" },
  { value: "other", label: "Custom start time" },
];

/** Redelivers the events of a time range, in as many requests as needed. */
function ReplayDialog({ path, onClose, onDone }: { path: string; onClose: () => void; onDone: () => void }) {
  const form = useForm({ span: "24", since: "", include: "undelivered" }, async ({ span, since, include }) => {
    const from = span === "other" ? instantOf(since) : new Date(now() - Number(span) * hourMs).toISOString();
    const range = { from, to: new Date(now()).toISOString(), include };
    let replayed = 0;
    let after: string | null = null;
    do {
      const answer: { replayed: number; nextCursor: string | null } = await api.post(`${path}/replay`, {
        ...range,
        ...(after !== null && { after }),
      });
      replayed += answer.replayed;
      after = answer.nextCursor;
    } while (after !== null);
    showSuccess(`${counted(replayed, "event")} scheduled for redelivery.`);
    onDone();
    onClose();
  });
  return (
    <Dialog title="Redeliver events" onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <SelectField form={form} name="span" label="Time range" choices={spans} />
        {form.values.span === "other" && (
          <TextField form={form} name="since" path="from" label="Since" type="datetime-local" required />
        )}
        <SelectField
          form={form}
          name="include"
          label="Events"
          choices={[
            { value: "undelivered", label: "Undelivered events" },
            { value: "all", label: "All events" },
          ]}
        />
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Redeliver
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
