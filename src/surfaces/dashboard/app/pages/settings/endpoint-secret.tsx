import type { NewEndpointView } from "../../../../../features/webhooks/model.ts";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";

/** What deliveries are signed with, shown once. A new one can be made, so closing this loses nothing for good. */
export function EndpointSecretDialog({ made, onClose }: { made: NewEndpointView; onClose: () => void }) {
  return (
    <Dialog title="The secret of the endpoint" onClose={onClose}>
      <p>Your program checks each delivery with it, by Standard Webhooks. Copy it now: it is not shown again.</p>
      <CopyText label="Signing secret" text={made.secret} />
      <footer class="buttons">
        <Button kind="primary" onClick={onClose}>
          I have stored it
        </Button>
      </footer>
    </Dialog>
  );
}
