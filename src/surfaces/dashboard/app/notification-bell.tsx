import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { NotificationView } from "../../../features/notifications/model.ts";
import { api } from "./api.ts";
import { counted } from "./format.ts";
import { useResource } from "./resource.ts";
import { navigate } from "./router.tsx";
import { can } from "./session.ts";
import { Button } from "./ui/button.tsx";
import { Icon, type IconName } from "./ui/icons.tsx";
import { Loaded } from "./ui/states.tsx";
import { RelativeTime } from "./ui/time.tsx";
import { showError } from "./ui/toast.tsx";

type Page = { notifications: NotificationView[]; unread: number };

const events = [
  ...["message.", "account.reconnect_required", "campaign.completed", "leads.imported", "leads.changed"],
  ...["prospects.uploaded", "voice.", "credits.exhausted", "webhook.disabled"],
];
/** More are counted as "99+". */
const shownCount = 99;

/** What the member should know: a button with the number of unread notifications, which opens the list. */
export function NotificationBell() {
  return can("events:read") ? <Bell /> : null;
}

function Bell() {
  const page = useResource(
    (signal) => api.get<Page>("/notifications", { query: { limit: 20 }, signal, priority: "low" }),
    [],
    {
      pollMs: 60_000,
      events,
    },
  );
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const unread = page.data?.unread ?? 0;
  useClosing(place, isOpen, () => setIsOpen(false));

  async function markRead(change: { ids?: string[]; until?: string }) {
    try {
      await api.post("/notifications/read", change);
      page.reload();
    } catch (error) {
      showError(error);
    }
  }
  function open(notification: NotificationView) {
    setIsOpen(false);
    if (!notification.isRead) void markRead({ ids: [notification.id] });
    navigate(placeOf(notification));
  }

  return (
    <div class="bell" ref={place}>
      <Button
        kind="quiet"
        icon="bell"
        aria-label={unread === 0 ? "Notifications" : `Notifications, ${unread} unread`}
        title="Notifications"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      />
      {unread > 0 && (
        <span class="bell-count number" aria-hidden="true">
          {unread > shownCount ? `${shownCount}+` : unread}
        </span>
      )}
      {/* Announces what arrives while the list is closed. */}
      <span class="visually-hidden" role="status">
        {unread > 0 && counted(unread, "unread notification")}
      </span>
      <div id={id} class="bell-list" hidden={!isOpen} role="group" aria-label="Notifications">
        {isOpen && (
          <>
            <div class="bell-head">
              <h2>Notifications</h2>
              {unread > 0 && (
                <button
                  type="button"
                  class="link small"
                  onClick={() => void markRead({ until: page.data?.notifications[0]?.id ?? "0" })}
                >
                  Mark all as read
                </button>
              )}
            </div>
            <Loaded resource={page}>
              {({ notifications }) =>
                notifications.length === 0 ? (
                  <p class="faint bell-empty">
                    Nothing yet. Replies, ended imports, and accounts that need reconnecting appear here.
                  </p>
                ) : (
                  <ul>
                    {notifications.map((one) => (
                      <li key={one.id}>
                        <button type="button" class={one.isRead ? "read" : "unread"} onClick={() => open(one)}>
                          <Icon name={icons[one.type] ?? "more"} />
                          <span class="bell-text">
                            <strong>
                              {one.title}
                              {!one.isRead && <span class="visually-hidden"> (unread)</span>}
                            </strong>
                            {one.text !== null && <span class="clamped">{one.text}</span>}
                            <span class="faint small">
                              <RelativeTime at={one.createdAt} />
                            </span>
                          </span>
                        </button>
                      </li>
                    ))}
                  </ul>
                )
              }
            </Loaded>
          </>
        )}
      </div>
    </div>
  );
}

/** Closes on Escape, which returns the focus to the button, and on a click or focus elsewhere. */
function useClosing(place: { current: HTMLElement | null }, isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const away = ({ target }: Event) => {
      if (!place.current?.contains(target as Node)) close();
    };
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      close();
      place.current?.querySelector("button")?.focus();
    };
    document.addEventListener("pointerdown", away);
    document.addEventListener("focusin", away);
    document.addEventListener("keydown", press);
    return () => {
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("focusin", away);
      document.removeEventListener("keydown", press);
    };
  }, [isOpen]);
}

const icons: Partial<Record<NotificationView["type"], IconName>> = {
  "message.received": "leads",
  "account.reconnect_required": "warning",
  "campaign.completed": "campaigns",
  "leads.imported": "upload",
  "leads.changed": "leads",
  "prospects.uploaded": "upload",
  "voice.ready": "voice",
  "voice.failed": "warning",
  "credits.exhausted": "warning",
  "webhook.disabled": "warning",
};

/** The page on which a notification is looked into. */
function placeOf({ type, jobId, campaignId, accountId, voiceId, conversationId }: NotificationView): string {
  switch (type) {
    case "message.received":
      return conversationId === undefined ? "/inbox" : `/inbox?c=${encodeURIComponent(conversationId)}`;
    case "account.reconnect_required":
      return accountId === undefined ? "/settings?part=accounts" : `/settings/accounts/${accountId}`;
    case "campaign.completed":
      return campaignId === undefined ? "/campaigns" : `/campaigns/${campaignId}`;
    case "leads.imported":
      return jobId === undefined ? "/leads" : `/leads/import/${jobId}`;
    case "leads.changed":
      return "/leads";
    case "prospects.uploaded":
      return "/prospects";
    case "voice.ready":
    case "voice.failed":
      return voiceId === undefined ? "/voice" : `/voice/${voiceId}`;
    case "credits.exhausted":
      return "/";
    case "webhook.disabled":
      return "/settings?part=webhooks";
  }
}
