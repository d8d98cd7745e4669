import type { EndpointInput, EndpointView } from "../../../../../features/webhooks/model.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField, FormError, TextArea, TextField, useForm } from "../../ui/form.tsx";

type EndpointFormProps = {
  endpoint: EndpointView | null;
  onSend: (input: EndpointInput) => Promise<void>;
  onCancel: () => void;
};

const on: boolean = true;

/** URL, events, and state of an endpoint. */
export function EndpointForm({ endpoint, onSend, onCancel }: EndpointFormProps) {
  const form = useForm(
    {
      url: endpoint?.url ?? "",
      description: endpoint?.description ?? "",
      events: endpoint?.events.join("\n") ?? "",
      isEnabled: endpoint?.isEnabled ?? on,
    },
    ({ url, description, events, isEnabled }) =>
      onSend({
        url: url.trim(),
        description: description.trim() || null,
        events: events.split(/[\s,]+/).filter((type) => type !== ""),
        isEnabled,
      }),
  );
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <FormError form={form} />
      <TextField
        form={form}
        name="url"
        label="URL"
        type="url"
        maxLength={2000}
        placeholder="https://"
        spellcheck={false}
        required
      />
      <TextField form={form} name="description" label="Description" maxLength={200} isOptional />
      <TextArea
        form={form}
        name="events"
        label="Events"
        rows={3}
        isOptional
        spellcheck={false}
        hint={
          <>
            One per line, such as <code>message.replied</code>, or a group such as <code>lead.*</code>. If empty, all
            events.
          </>
        }
      />
      <CheckField
        form={form}
        name="isEnabled"
        label="Enabled"
        hint="If disabled, new events are not delivered, and pending deliveries wait."
      />
      <footer class="buttons">
        {endpoint === null && <Button onClick={onCancel}>Cancel</Button>}
        <Button kind="primary" type="submit" isBusy={form.isBusy} disabled={endpoint !== null && !form.isChanged}>
          {endpoint === null ? "Add endpoint" : "Save"}
        </Button>
      </footer>
    </form>
  );
}
