import type { ConversationView } from "../../../../../features/inbox/model.ts";
import { api } from "../../api.ts";
import { count } from "../../format.ts";
import { handleOf } from "../../person.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Initials } from "../../ui/initials.tsx";
import { Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";

const shown = 5;
type Unread = { conversations: ConversationView[]; total: number };

/** People who have written and wait for an answer, latest first. */
export function Replies() {
  const waiting = useResource(
    (signal) => api.get<Unread>("/inbox/conversations", { query: { unread: true, limit: shown }, signal }),
    [],
    { pollMs: 30_000, events: ["message.", "conversation."] },
  );
  return (
    <div class="card">
      <Section
        title="Replies waiting"
        actions={waiting.data && waiting.data.total > shown && <Link to="/inbox">View all {waiting.data.total}</Link>}
      >
        <Loaded resource={waiting} lines={4}>
          {({ conversations }) =>
            conversations.length === 0 ? (
              <p class="faint">
                No one is waiting for you. <Link to="/inbox">Open the inbox</Link> for earlier conversations.
              </p>
            ) : (
              <ul class="replies">
                {conversations.map((conversation) => (
                  <Reply key={conversation.id} conversation={conversation} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
    </div>
  );
}

function Reply({ conversation }: { conversation: ConversationView }) {
  const { id, personName, profileUrl, lastMessage, queuedMessage, receivedAt, unread } = conversation;
  const name = personName ?? handleOf(profileUrl);
  return (
    <li>
      <Initials name={name} />
      <span class="reply-text">
        <span class="reply-head">
          <Link to={`/inbox?c=${encodeURIComponent(id)}`}>{name}</Link>
          {unread > 1 && (
            <Badge tone="info">
              {count(unread)}
              <span class="visually-hidden"> messages</span>
            </Badge>
          )}
          {queuedMessage?.campaignId === null && <Badge>Reply queued</Badge>}
          <span class="faint small">
            <RelativeTime at={receivedAt ?? lastMessage.at} />
          </span>
        </span>
        <span class="one-line faint">
          {lastMessage.state !== "received" && "You: "}
          {lastMessage.text ?? "The text was not provided."}
        </span>
      </span>
    </li>
  );
}
