import { here, Link, setQuery } from "../../router.tsx";
import { can } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/states.tsx";
import type { View } from "./conversations.ts";
import { labelNames, type Label } from "./labels.ts";

const emptyViews: Record<View["name"], { title: string; hint: string }> = {
  replies: {
    title: "No replies yet",
    hint: "What people write to your accounts appears here. If an account cannot report replies, record them on the page of the lead.",
  },
  unread: {
    title: "Everything is read",
    hint: "New messages of people appear here. Press U in a conversation to mark it as unread.",
  },
  mine: {
    title: "Nothing is assigned to you",
    hint: "Press A in a conversation to assign it to yourself, or let a colleague select you under “Assigned to”.",
  },
  unassigned: {
    title: "No unassigned replies",
    hint: "Replies that no member takes care of appear here. Select a member under “Assigned to” in a conversation.",
  },
  snoozed: {
    title: "Nothing is snoozed",
    hint: "Press E in a conversation to hide it until tomorrow. It returns then, or when the person writes.",
  },
  all: {
    title: "No conversations yet",
    hint: "Messages of your campaigns and what people answer appear here.",
  },
};

/** What would be in a list without conversations, and what to do. */
export function EmptyList({ view }: { view: View }) {
  const { query } = here.value;
  const [text, label, account] = [query.get("q"), query.get("label"), query.get("account")];
  if (text === null && label === null && account === null) return <EmptyView view={view} />;
  return (
    <EmptyState icon="inbox" title={titleOf(text, label)}>
      <p class="faint">{hintOf(text, label)}</p>
      <span class="buttons">
        {view.name !== "all" && <Button onClick={() => setQuery({ view: "all" })}>Search in all</Button>}
        <Button onClick={() => setQuery({ q: null, label: null, account: null })}>Clear all filters</Button>
      </span>
    </EmptyState>
  );
}

function EmptyView({ view }: { view: View }) {
  const { title, hint } = emptyViews[view.name];
  const isStart = view.name === "all" || view.name === "replies";
  return (
    <EmptyState icon="inbox" title={title}>
      <p class="faint">{hint}</p>
      {isStart && can("network:read") && (
        <Link to="/campaigns" class="button plain">
          Campaigns
        </Link>
      )}
    </EmptyState>
  );
}

function titleOf(text: string | null, label: string | null): string {
  if (text !== null) return `Nothing found for “${text}”`;
  return label === null ? "No conversations of this account" : `No conversations labeled ${nameOf(label)}`;
}

function hintOf(text: string | null, label: string | null): string {
  if (text !== null)
    return "The search finds the beginnings of words in names and messages; all words must be in the name or in one message.";
  return label === null
    ? "Messages that this account sends or receives appear here."
    : "Press L in a conversation to label it.";
}

function nameOf(label: string): string {
  return labelNames[label as Label]?.label ?? label;
}
