import { useEffect, useRef, useState } from "preact/hooks";
import type { ConversationView, MessageView } from "../../../../../features/inbox/model.ts";
import { api } from "../../api.ts";
import { date, dateTime, isoDay, timeOfDay } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Link, setQuery } from "../../router.tsx";
import { can, session } from "../../session.ts";
import { nameOfMember, useMembers } from "../../team.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import { Composer } from "./composer.tsx";
import { kindNames, nameOfPerson, stateNames } from "./labels.ts";
import { ThreadHead } from "./thread-head.tsx";

type Messages = { messages: MessageView[]; nextCursor: string | null };
const live = { pollMs: 10_000, events: ["message.", "conversation.", "action."] };
const pageSize = 50;

/** The right pane: a conversation, with everything that can be done with it. */
export function Thread({ id, onGone }: { id: string; onGone: () => void }) {
  const conversation = useResource(
    (signal) => api.get<ConversationView>(`/inbox/conversations/${id}`, { signal }),
    [id],
    live,
  );
  const [limit, setLimit] = useState(pageSize);
  const messages = useResource(
    (signal) => api.get<Messages>(`/inbox/conversations/${id}/messages`, { query: { limit }, signal }),
    [id, limit],
    live,
  );
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
        <MessageList {...messages.data} name={name} showEarlier={limit < 100 ? () => setLimit(100) : null} />
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

type MessageListProps = Messages & { name: string; showEarlier: (() => void) | null };

/** Oldest first, as people read. */
function MessageList({ messages, nextCursor, name, showEarlier }: MessageListProps) {
  const place = useRef<HTMLDivElement>(null);
  const latest = messages[0]?.id;
  const self = session.value?.user.id;
  const members = useMembers(messages.some(({ userId }) => userId !== null && userId !== self));
  useEffect(() => {
    if (place.current !== null) place.current.scrollTop = place.current.scrollHeight;
  }, [latest]);
  const inOrder = messages.toReversed();
  return (
    <div class="messages" ref={place} tabIndex={0} role="log" aria-label={`Messages with ${name}`}>
      {nextCursor !== null &&
        (showEarlier === null ? (
          <p class="faint">Earlier messages are available from the API.</p>
        ) : (
          <Button kind="quiet" onClick={showEarlier}>
            Show earlier messages
          </Button>
        ))}
      {inOrder.map((message, index) => (
        <Message
          key={message.id}
          message={message}
          day={newDay(message, inOrder[index - 1])}
          author={authorOf(message, name, (userId) => nameOfMember(members, userId))}
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

function Message({ message, day, author }: { message: MessageView; day: string | null; author: string }) {
  const { direction, kind, state, text, at, scheduledFor, status, campaignId } = message;
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
        {status !== null && state !== "sent" && <p class="message-status">{status}</p>}
      </article>
    </>
  );
}
