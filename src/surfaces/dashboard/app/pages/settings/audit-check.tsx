import type { AuditCheck } from "../../../../../platform/auth/audit/model.ts";
import { api } from "../../api.ts";
import { counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { CopyText } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/states.tsx";

/** Whether somebody has changed the log behind the service's back. */
export function AuditCheckDialog({ onClose }: { onClose: () => void }) {
  const check = useResource((signal) => api.get<AuditCheck>("/audit/verify", { signal }), []);
  return (
    <Dialog title="Is the audit log whole?" onClose={onClose}>
      <Loaded resource={check} lines={2}>
        {({ isIntact, entries, brokenAt, lastId, lastHash }) =>
          isIntact ? (
            <>
              <p class="notice">
                Yes: {counted(entries, "entry", "entries")} fit together. None was changed, put in, taken out or cut
                off.
              </p>
              {lastHash !== null && (
                <>
                  <p>
                    Whoever can write to the database can write the whole log anew. Keep the hash of the newest entry
                    somewhere else: a later check by the API compares it.
                  </p>
                  <CopyText label={`Hash of entry ${lastId}, the newest`} text={lastHash} />
                </>
              )}
            </>
          ) : (
            <p class="notice danger" role="alert">
              No: from entry {brokenAt} on, what is stored is not what was written. Somebody had a hand in the database,
              or the disk is damaged.
            </p>
          )
        }
      </Loaded>
    </Dialog>
  );
}
