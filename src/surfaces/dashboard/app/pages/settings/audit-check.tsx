import type { AuditCheck } from "../../../../../platform/auth/audit/model.ts";
import { api } from "../../api.ts";
import { counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { CopyText } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/states.tsx";

/** Checks whether the log was changed outside the server. */
export function AuditCheckDialog({ onClose }: { onClose: () => void }) {
  const check = useResource((signal) => api.get<AuditCheck>("/audit/verify", { signal }), []);
  return (
    <Dialog title="Verify audit log" onClose={onClose}>
      <Loaded resource={check} lines={2}>
        {({ isIntact, entries, brokenAt, lastId, lastHash }) =>
          isIntact ? (
            <>
              <p class="notice">
                The audit log is intact: none of its {counted(entries, "entry", "entries")} were changed, inserted, or
                removed.
              </p>
              {lastHash !== null && (
                <>
                  <p>
                    A user with write access to the database could rewrite the entire log. Store the hash of the newest
                    entry elsewhere; you can compare it later through the API.
                  </p>
                  <CopyText label={`Hash of the newest entry (${lastId})`} text={lastHash} />
                </>
              )}
            </>
          ) : (
            <p class="notice danger" role="alert">
              The audit log is not intact: it was changed from entry {brokenAt} on. The database was modified, or the
              disk is damaged.
            </p>
          )
        }
      </Loaded>
    </Dialog>
  );
}
