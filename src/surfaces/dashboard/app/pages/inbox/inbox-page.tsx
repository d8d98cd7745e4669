import { useEffect } from "preact/hooks";
import type { ConversationView } from "../../../../../features/inbox/model.ts";
import { api } from "../../api.ts";
import { here, setQuery } from "../../router.tsx";
import { can, session } from "../../session.ts";
import { isForPage, useShortcutHelp } from "../../shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { showError, showUndo } from "../../ui/toast.tsx";
import { tomorrowMorning } from "./times.ts";
import { ConversationList } from "./conversation-list.tsx";
import { useConversations, type ConversationLists } from "./conversations.ts";
import { SnippetsDialog } from "./snippets.tsx";
import { Thread } from "./thread.tsx";

const shortcuts = [
  { keys: "J", label: "Next conversation" },
  { keys: "K", label: "Previous conversation" },
  { keys: "R", label: "Reply" },
  { keys: "E", label: "Snooze until tomorrow" },
  { keys: "A", label: "Assign to me, or to no one" },
  { keys: "L", label: "Label" },
  { keys: "U", label: "Mark as unread" },
  { keys: "/", label: "Search" },
];

/** All conversations, and the messages of one of them. On a narrow screen, one of both. */
export function InboxPage() {
  const id = here.value.query.get("c");
  const lists = useConversations(id);
  useShortcutHelp("Inbox", shortcuts);
  useInboxKeys(lists, id);
  return (
    <PageFrame title="Inbox" actions={<Button onClick={() => setQuery({ snippets: "open" })}>Snippets</Button>}>
      <div class={`inbox ${id === null ? "" : "has-thread"}`}>
        <ConversationList lists={lists} chosen={id} />
        {id === null ? (
          <div class="inbox-thread card">
            <EmptyState icon="inbox" title="No conversation selected">
              <p class="faint">Select a conversation, or press J for the first one.</p>
              <dl class="inbox-keys">
                {shortcuts.map(({ keys, label }) => (
                  <div key={keys}>
                    <dt>
                      <kbd>{keys}</kbd>
                    </dt>
                    <dd>{label}</dd>
                  </div>
                ))}
              </dl>
            </EmptyState>
          </div>
        ) : (
          <Thread key={id} id={id} onGone={() => openConversation(null)} />
        )}
      </div>
      {here.value.query.get("snippets") !== null && <SnippetsDialog onClose={() => setQuery({ snippets: null })} />}
    </PageFrame>
  );
}

function openConversation(id: string | null): void {
  setQuery({ c: id });
}

function useInboxKeys({ conversations, reload }: ConversationLists, id: string | null): void {
  useEffect(() => {
    // The open one may be further down than the list was read, or in another view.
    const withOpen = async (act: (open: ConversationView, reload: () => void) => Promise<void>) => {
      if (id === null) return;
      try {
        const listed = conversations.find((one) => one.id === id);
        await act(listed ?? (await api.get<ConversationView>(`/inbox/conversations/${id}`)), reload);
      } catch (error) {
        showError(error);
      }
    };
    const step = (by: number) => {
      const index = conversations.findIndex((one) => one.id === id);
      const next = conversations[index === -1 ? 0 : index + by];
      if (next !== undefined) openConversation(next.id);
    };
    const run: Record<string, () => void> = {
      j: () => step(1),
      k: () => step(-1),
      r: () => focusOn("#reply"),
      l: () => focusOn("#label"),
      e: () => void withOpen(snooze),
      a: () => void withOpen(assign),
      u: () => void withOpen(markUnread),
    };
    const press = (event: KeyboardEvent) => {
      const action = run[event.key];
      if (event.defaultPrevented || event.repeat || action === undefined || !isForPage(event)) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [conversations, id]);
}

function focusOn(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

async function change({ id }: ConversationView, body: object, reload: () => void): Promise<boolean> {
  if (!can("network:schedule")) return false;
  try {
    await api.patch(`/inbox/conversations/${id}`, body);
    reload();
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
}

async function snooze(conversation: ConversationView, reload: () => void): Promise<void> {
  const { snoozedUntil } = conversation;
  if (!(await change(conversation, { snoozedUntil: tomorrowMorning() }, reload))) return;
  showUndo("Snoozed until tomorrow, 09:00.", async () => void (await change(conversation, { snoozedUntil }, reload)));
}

async function assign(conversation: ConversationView, reload: () => void): Promise<void> {
  const isMine = conversation.assignedTo !== null && conversation.assignedTo === session.value?.user.id;
  const { assignedTo } = conversation;
  if (!(await change(conversation, { assignedTo: isMine ? null : "me" }, reload))) return;
  showUndo(
    isMine ? "Unassigned." : "Assigned to you.",
    async () => void (await change(conversation, { assignedTo }, reload)),
  );
}

async function markUnread(conversation: ConversationView, reload: () => void): Promise<void> {
  if (await change(conversation, { isRead: false }, reload)) openConversation(null);
}
