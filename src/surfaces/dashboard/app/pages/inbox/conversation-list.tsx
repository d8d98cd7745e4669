import { useEffect, useRef, useState } from "preact/hooks";
import type { ConversationView } from "../../../../../features/inbox/model.ts";
import { count, dateTime } from "../../format.ts";
import { useAccounts } from "../../network.ts";
import { here, setQuery } from "../../router.tsx";
import { session } from "../../session.ts";
import { nameOfMember, useMembers } from "../../team.ts";
import { Badge, StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Avatar, Initials } from "../../ui/initials.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import { views, type ConversationLists } from "./conversations.ts";
import { EmptyList } from "./empty-list.tsx";
import { labelList, labelNames, nameOfPerson, previewOf, queuedTitle } from "./labels.ts";
import { shortTime } from "./times.ts";

/** The left pane: views, filters, and conversations. */
export function ConversationList({ lists, chosen }: { lists: ConversationLists; chosen: string | null }) {
  const { view, conversations, isLoading, error, hasMore } = lists;
  const members = useMembers(conversations.some(isWithMember));
  return (
    <section class="inbox-list card" aria-label="Conversations">
      <Views chosen={view.name} />
      <Filters />
      {error && <ErrorState error={error} retry={lists.reload} />}
      {isLoading && conversations.length === 0 && error === null && <Skeleton lines={6} />}
      {!isLoading && conversations.length === 0 && error === null && <EmptyList view={view} />}
      <ul class="conversations" aria-busy={isLoading}>
        {conversations.map((conversation) => (
          <li key={conversation.id}>
            <Entry conversation={conversation} members={members} isChosen={conversation.id === chosen} />
          </li>
        ))}
      </ul>
      {hasMore && (
        <Button kind="quiet" onClick={lists.showMore}>
          Show more
        </Button>
      )}
    </section>
  );
}

function Views({ chosen }: { chosen: string }) {
  return (
    <div class="inbox-views" role="group" aria-label="View">
      {views.map(({ name, label }) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === chosen}
          onClick={() => setQuery({ view: name === "replies" ? null : name })}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

/** Until the user stops typing. */
const typingMs = 200;

function Filters() {
  const { query } = here.value;
  const accounts = useAccounts().data?.accounts ?? [];
  const [text, setText] = useState(query.get("q") ?? "");
  useEffect(() => {
    if (text === (query.get("q") ?? "")) return undefined;
    const timer = setTimeout(() => setQuery({ q: text }), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    if (query.get("q") === null) setText("");
  }, [query.get("q")]);
  return (
    <div class="inbox-filters">
      <input
        type="search"
        aria-label="Search messages and people"
        placeholder="Search messages and people"
        maxLength={200}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <select
        aria-label="Label"
        value={query.get("label") ?? ""}
        onChange={(event) => setQuery({ label: event.currentTarget.value })}
      >
        <option value="">All labels</option>
        {labelList.map((label) => (
          <option key={label} value={label}>
            {labelNames[label].label}
          </option>
        ))}
      </select>
      {accounts.length > 1 && (
        <select
          aria-label="Account"
          value={query.get("account") ?? ""}
          onChange={(event) => setQuery({ account: event.currentTarget.value })}
        >
          <option value="">All accounts</option>
          {accounts.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

type EntryProps = { conversation: ConversationView; members: ReturnType<typeof useMembers>; isChosen: boolean };

function Entry({ conversation, members, isChosen }: EntryProps) {
  const { id, unread, label, assignedTo, lastMessage, queuedMessage, snoozedUntil } = conversation;
  const place = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isChosen) place.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    <button
      ref={place}
      type="button"
      class={`conversation ${unread > 0 ? "unread" : ""}`}
      aria-current={isChosen ? "true" : undefined}
      onClick={() => setQuery({ c: id })}
    >
      <Avatar name={nameOfPerson(conversation)} />
      <span class="conversation-head">
        <strong>{nameOfPerson(conversation)}</strong>
        <time dateTime={lastMessage.at} title={dateTime(lastMessage.at)}>
          {shortTime(lastMessage.at)}
        </time>
      </span>
      {(queuedMessage === null || lastMessage.state !== "queued") && (
        <span class="conversation-preview">{previewOf(conversation)}</span>
      )}
      {queuedMessage !== null && <QueuedPreview queued={queuedMessage} members={members} />}
      <span class="conversation-marks">
        {unread > 0 && <Badge tone="info">{`${count(unread)} unread`}</Badge>}
        {label !== null && <StateBadge words={labelNames} state={label} />}
        {snoozedUntil !== null && <Badge>{`Until ${shortTime(snoozedUntil)}`}</Badge>}
        {assignedTo !== null && <Initials name={nameOfMember(members, assignedTo)} />}
      </span>
    </button>
  );
}

type QueuedProps = { queued: NonNullable<ConversationView["queuedMessage"]>; members: ReturnType<typeof useMembers> };

/** The message that waits to be sent. Without it, an answered conversation would look like one that waits for an answer. */
function QueuedPreview({ queued, members }: QueuedProps) {
  const { userId, status, text } = queued;
  const author = userId === null || userId === session.value?.user.id ? "You" : nameOfMember(members, userId);
  return (
    <span class="conversation-preview queued" title={status}>
      <strong>{queuedTitle(queued, author)}:</strong> {text ?? "Text not available"}
    </span>
  );
}

/** Whether the row names a member. */
function isWithMember({ assignedTo, queuedMessage }: ConversationView): boolean {
  const author = queuedMessage?.userId ?? null;
  return assignedTo !== null || (author !== null && author !== session.value?.user.id);
}
