import { useEffect, useRef, useState } from "preact/hooks";
import type { ConversationView } from "../../../../../features/inbox/model.ts";
import { api, type Query, type RequestError } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { here } from "../../router.tsx";

export const views = [
  { name: "replies", label: "Replies", query: { replied: true } },
  { name: "unread", label: "Unread", query: { unread: true } },
  { name: "mine", label: "Mine", query: { assignedTo: "me" } },
  { name: "unassigned", label: "Unassigned", query: { replied: true, assignedTo: "none" } },
  { name: "snoozed", label: "Snoozed", query: { snoozed: "only" } },
  { name: "all", label: "All", query: { snoozed: "include" } },
] as const satisfies readonly { name: string; label: string; query: Query }[];
export type View = (typeof views)[number];

type Page = { conversations: ConversationView[]; total: number; nextCursor: string | null };

export type ConversationLists = {
  view: View;
  conversations: readonly ConversationView[];
  total: number;
  hasMore: boolean;
  isLoading: boolean;
  error: RequestError | null;
  reload(): void;
  showMore(): void;
};

const pageSize = 50;
const none: readonly ConversationView[] = [];

/**
 * The conversations of the view and filters in the URL; live. `open`: ID of the one that is being read. Reading must not
 * remove it from the unread ones under the hands of the reader, so it stays in its place until another one is opened.
 */
export function useConversations(open: string | null): ConversationLists {
  const { query } = here.value;
  const view = views.find(({ name }) => name === query.get("view")) ?? views[0];
  const filter = { q: query.get("q"), label: query.get("label"), accountId: query.get("account") };
  const list = JSON.stringify([view.name, filter]);
  const [shown, setShown] = useState({ list, wanted: pageSize });
  const wanted = shown.list === list ? shown.wanted : pageSize;
  const before = useRef<{ list: string; conversations: readonly ConversationView[] }>({ list, conversations: none });
  const load = async (signal: AbortSignal): Promise<Page> => {
    const page = await readUpTo(wanted, { ...view.query, ...filter }, signal);
    const place =
      before.current.list === list ? before.current.conversations.findIndex(({ id }) => id === open) : notShown;
    const conversations =
      view.name === "unread" ? await withOpen(page.conversations, open, place, signal) : page.conversations;
    if (!signal.aborted) before.current = { list, conversations };
    return { ...page, conversations };
  };
  const resource = useResource(load, [list, wanted], {
    pollMs: 10_000,
    events: ["message.", "conversation.", "action."],
  });
  const { data, isLoading, error, reload } = resource;
  useEffect(() => {
    if (view.name === "unread" && before.current.conversations.length > 0) reload();
  }, [open]);
  return {
    view,
    conversations: data?.conversations ?? none,
    total: data?.total ?? 0,
    hasMore: typeof data?.nextCursor === "string",
    isLoading,
    error,
    reload,
    showMore: () => setShown({ list, wanted: wanted + pageSize }),
  };
}

const notShown = -1;

/** The list with the open conversation in its previous place, unless it is there or was snoozed. */
async function withOpen(
  conversations: ConversationView[],
  open: string | null,
  place: number,
  signal: AbortSignal,
): Promise<ConversationView[]> {
  if (open === null || place === notShown || conversations.some(({ id }) => id === open)) return conversations;
  const conversation = await api.get<ConversationView>(`/inbox/conversations/${open}`, { signal });
  return conversation.snoozedUntil === null ? conversations.toSpliced(place, 0, conversation) : conversations;
}

/** A cursor stays valid while messages arrive, but what they move would be missing: so all pages are read again. */
async function readUpTo(wanted: number, query: Query, signal: AbortSignal): Promise<Page> {
  const conversations: ConversationView[] = [];
  for (let cursor: string | null = null; ;) {
    const limit = Math.min(100, wanted - conversations.length);
    const options = { query: { ...query, limit, cursor }, signal };
    const page: Page = await api.get<Page>("/inbox/conversations", options);
    conversations.push(...page.conversations);
    cursor = page.nextCursor;
    if (cursor === null || conversations.length >= wanted) return { ...page, conversations };
  }
}
