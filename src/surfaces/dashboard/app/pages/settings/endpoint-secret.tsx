import type { NewEndpointView } from "../../../../../features/webhooks/model.ts";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";

/** Shows the signing secret once. It can be replaced, so closing the dialog by accident loses nothing. */
export function EndpointSecretDialog({ made, onClose }: { made: NewEndpointView; onClose: () => void }) {
  return (
    <Dialog title="Signing secret" onClose={onClose}>
      <p>Use this secret to verify deliveries (Standard Webhooks). Copy it now. It will not be shown again.</p>
      <CopyText label="Signing secret" text={made.secret} />
      <footer class="buttons">
        <Button kind="primary" onClick={onClose}>
          I have stored it
        </Button>
      </footer>
    </Dialog>
  );
}
