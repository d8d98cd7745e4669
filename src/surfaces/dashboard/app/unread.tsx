import type { UnreadCounts } from "../../../features/inbox/model.ts";
import { api } from "./api.ts";
import { count } from "./format.ts";
import { useResource } from "./resource.ts";

/** The number of conversations with unread messages, in the menu. */
export function UnreadCount() {
  const unread = useResource((signal) => api.get<UnreadCounts>("/inbox/unread", { signal }), [], {
    pollMs: 30_000,
    events: ["message.received", "conversation.updated"],
  });
  const total = unread.data?.total ?? 0;
  if (total === 0) return null;
  return (
    <span class="unread-count">
      {count(total)}
      <span class="visually-hidden"> unread</span>
    </span>
  );
}
