import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ConversationView, MessageView } from "../../../../../features/inbox/model.ts";
import { api } from "../../api.ts";
import { date, dateTime, isoDay, minutesAndSeconds, timeOfDay, withoutRequests } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Link, setQuery } from "../../router.tsx";
import { can, session } from "../../session.ts";
import { nameOfMember, useMembers } from "../../team.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import { Composer } from "./composer.tsx";
import { MessageActions } from "./message-actions.tsx";
import { kindNames, nameOfPerson, stateNames } from "./labels.ts";
import { ThreadHead } from "./thread-head.tsx";

type Messages = { messages: MessageView[]; nextCursor: string | null };
const live = { pollMs: 10_000, events: ["message.", "conversation.", "action."] };
/** Messages that are read at first, and with each step back. */
const pageSize = 100;

/** All messages down to the oldest that is shown: late ones can belong anywhere. */
async function readLatest(id: string, wanted: number, signal: AbortSignal): Promise<Messages> {
  const messages: MessageView[] = [];
  for (let cursor: string | null = null; ;) {
    const options = { query: { limit: pageSize, cursor }, signal };
    const page: Messages = await api.get<Messages>(`/inbox/conversations/${id}/messages`, options);
    messages.push(...page.messages);
    cursor = page.nextCursor;
    if (cursor === null || messages.length >= wanted) return { messages, nextCursor: cursor };
  }
}

/** The right pane: a conversation, with everything that can be done with it. */
export function Thread({ id, onGone }: { id: string; onGone: () => void }) {
  const conversation = useResource(
    (signal) => api.get<ConversationView>(`/inbox/conversations/${id}`, { signal }),
    [id],
    live,
  );
  const [wanted, setWanted] = useState(pageSize);
  const messages = useResource((signal) => readLatest(id, wanted, signal), [id, wanted], live);
  useMarkAsRead(conversation.data, messages.data?.messages ?? [], conversation.reload);
  const error = conversation.error ?? messages.error;
  if (error !== null && error.status === 404)
    return (
      <section class="inbox-thread card" aria-label="Conversation">
        <ErrorState error={error} />
        <Button onClick={onGone}>Close</Button>
      </section>
    );
  const reload = () => {
    conversation.reload();
    messages.reload();
  };
  const { data } = conversation;
  const name = data === undefined ? "Conversation" : nameOfPerson(data);
  return (
    <section class="inbox-thread card" aria-label={name}>
      <div class="thread-back">
        <Button kind="quiet" icon="left" onClick={() => setQuery({ c: null })}>
          Inbox
        </Button>
      </div>
      {error && <ErrorState error={error} retry={reload} />}
      {data && <ThreadHead conversation={data} onChange={conversation.replace} reload={reload} />}
      {messages.data === undefined ? (
        error === null && <Skeleton lines={5} />
      ) : (
        <MessageList
          {...messages.data}
          name={name}
          isLoading={messages.isLoading}
          onChange={reload}
          showEarlier={() => setWanted(wanted + pageSize)}
        />
      )}
      {data && <Composer conversation={data} onSent={reload} />}
    </section>
  );
}

/** Once it is seen: what arrives later stays unread. Who may not change it only looks. */
function useMarkAsRead(
  conversation: ConversationView | undefined,
  messages: readonly MessageView[],
  reload: () => void,
): void {
  const latest = messages.find(({ direction }) => direction === "incoming")?.id;
  const marked = useRef<string | undefined>(undefined);
  const unread = conversation?.unread ?? 0;
  useEffect(() => {
    if (unread === 0 || latest === undefined || marked.current === latest || document.hidden) return;
    if (conversation === undefined || !can("network:schedule")) return;
    marked.current = latest;
    // A message that could not be marked stays unread, which is no reason for an error message.
    void api.patch(`/inbox/conversations/${conversation.id}`, { isRead: true, readTo: latest }).then(reload, () => {});
  }, [unread, latest]);
}

type MessageListProps = Messages & { name: string; isLoading: boolean; onChange: () => void; showEarlier: () => void };

/** So close to an end of the list, in pixels, the reader is about to be there. */
const nearEnd = 120;

/** Oldest first, as people read. Who scrolls up gets earlier messages, and stays where they are while new ones arrive. */
function MessageList({ messages, nextCursor, name, isLoading, onChange, showEarlier }: MessageListProps) {
  const place = useRef<HTMLDivElement>(null);
  const fromBottom = useRef(0);
  const latest = messages[0];
  const oldest = messages.at(-1)?.id;
  const self = session.value?.user.id;
  const members = useMembers(messages.some(({ userId }) => userId !== null && userId !== self));
  useLayoutEffect(() => {
    const list = place.current;
    if (list === null) return;
    if (fromBottom.current < nearEnd || latest?.state === "queued") fromBottom.current = 0;
    list.scrollTop = list.scrollHeight - list.clientHeight - fromBottom.current;
  }, [latest?.id, oldest]);
  // The composer below grows and shrinks.
  useEffect(() => {
    const list = place.current;
    if (list === null) return undefined;
    const observer = new ResizeObserver(() => {
      list.scrollTop = list.scrollHeight - list.clientHeight - fromBottom.current;
    });
    observer.observe(list);
    return () => observer.disconnect();
  }, []);
  function onScroll(): void {
    const list = place.current;
    if (list === null) return;
    fromBottom.current = list.scrollHeight - list.clientHeight - list.scrollTop;
    if (list.scrollTop < nearEnd && nextCursor !== null && !isLoading) showEarlier();
  }
  const inOrder = messages.toReversed();
  return (
    <div class="messages" ref={place} tabIndex={0} role="log" aria-label={`Messages with ${name}`} onScroll={onScroll}>
      {nextCursor !== null && (
        <Button kind="quiet" isBusy={isLoading} onClick={showEarlier}>
          Show earlier messages
        </Button>
      )}
      {inOrder.map((message, index) => (
        <Message
          key={message.id}
          message={message}
          day={newDay(message, inOrder[index - 1])}
          author={authorOf(message, name, (userId) => nameOfMember(members, userId))}
          onChange={onChange}
        />
      ))}
    </div>
  );
}

const timeOf = ({ at, createdAt }: MessageView): string => at ?? createdAt;

function newDay(message: MessageView, before: MessageView | undefined): string | null {
  const at = timeOf(message);
  return before !== undefined && isoDay(timeOf(before)) === isoDay(at) ? null : date(at);
}

function authorOf(
  { direction, campaignId, userId }: MessageView,
  name: string,
  member: (id: string) => string,
): string {
  if (direction === "incoming") return name;
  if (campaignId !== null) return "Campaign";
  return userId === null ? "You" : member(userId);
}

type MessageProps = { message: MessageView; day: string | null; author: string; onChange: () => void };

function Message({ message, day, author, onChange }: MessageProps) {
  const { direction, kind, state, text, seconds, at, scheduledFor, status, campaignId } = message;
  const isWrong = state === "failed" || state === "unknown";
  return (
    <>
      {day !== null && <p class="message-day">{day}</p>}
      <article class={`message ${direction} ${isWrong ? "wrong" : state}`}>
        <p class="message-text" dir="auto">
          {text ?? <em>Text not available</em>}
        </p>
        <footer>
          {campaignId === null ? <span>{author}</span> : <Link to={`/campaigns/${campaignId}`}>{author}</Link>}
          {kind !== "message" && <span>{kindNames[kind]}</span>}
          {seconds !== null && <span>{minutesAndSeconds(seconds)}</span>}
          {at !== null && (
            <time dateTime={at} title={dateTime(at)}>
              {timeOfDay(at)}
            </time>
          )}
          {state !== "sent" && state !== "received" && (
            <Badge tone={isWrong ? "bad" : "info"}>
              {scheduledFor === null ? stateNames[state] : `${stateNames[state]} for ${dateTime(scheduledFor)}`}
            </Badge>
          )}
        </footer>
        {status !== null && state !== "sent" && <p class="message-status">{withoutRequests(status)}</p>}
        {(state === "queued" || isWrong) && (
          <div class="message-actions">
            <MessageActions message={message} onChange={onChange} />
          </div>
        )}
      </article>
    </>
  );
}
