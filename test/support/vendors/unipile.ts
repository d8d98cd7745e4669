import { formIn, jsonIn, startLoopback, type Loopback, type Recorded } from "./loopback.ts";

/** A person as the network knows them. */
export type Member = {
  name: string;
  relation: "none" | "pending" | "connected";
  /** Of an earlier request; WITHDRAWN ones can't be repeated for some weeks. */
  withdrawn?: boolean;
  connectedAt?: number;
  isSelf?: boolean;
  skills?: { name: string; endorsement_id: number }[];
  posts?: { social_id: string; is_repost?: boolean }[];
};

type Message = {
  id?: string;
  chat_id: string;
  is_sender: 0 | 1;
  sender_id: string;
  text: string | null;
  timestamp: string;
  is_event?: 0 | 1;
};

export type UnipileVendor = Loopback & {
  apiKey: string;
  accountId: string;
  members: Map<string, Member>;
  messages: Message[];
  /** Chats that are not between two: 1 for groups; or advertisements. */
  chats: Map<string, { type?: number; content_type?: string }>;
  /** People whose chats show their ID instead of their public name, as the network often does. */
  shownById: Set<string>;
  /** The next action (not a question) is answered with this problem. */
  refuseNext(status: number, type: string, detail?: string, headers?: Record<string, string>): void;
  /** Forms and JSON bodies of the actions that had their effect. */
  effects: { path: string; fields: Record<string, unknown> }[];
};

export const idOf = (name: string): string => `ACoAA${name.replace(/[^a-z]/gi, "")}X`;

/**
 * Unipile's API, version 1, for one connected account (developer.unipile.com/reference): users, invitations, chats,
 * posts, endorsements. Ids of members are case-sensitive; problems have title, detail, type and status.
 */
export async function startUnipile(): Promise<UnipileVendor> {
  const members = new Map<string, Member>();
  const messages: Message[] = [];
  const chats: UnipileVendor["chats"] = new Map();
  const shownById = new Set<string>();
  const effects: UnipileVendor["effects"] = [];
  const [apiKey, accountId] = ["unipile-key-123", "acc_1"];
  let next: Response | null = null;
  let made = 0;

  const memberBy = (identifier: string): Member | undefined =>
    [...members.values()].find(({ name }) => identifier === name || identifier === idOf(name));
  const problem = (status: number, type: string, detail = "", headers: Record<string, string> = {}) =>
    Response.json({ title: "Problem", detail, type: `errors/${type}`, status, instance: "x" }, { status, headers });
  const notFound = () => problem(404, "resource_not_found", "The requested resource was not found");

  async function act(request: Recorded, path: string, run: (fields: Record<string, unknown>) => object | Response) {
    const isForm = request.headers.get("content-type")?.startsWith("multipart/") ?? false;
    const fields = isForm ? Object.fromEntries(await formIn(request)) : request.body.length > 0 ? jsonIn(request) : {};
    if (next !== null) {
      const refusal = next;
      next = null;
      return refusal;
    }
    const answer = run(fields);
    if (answer instanceof Response) return answer;
    effects.push({ path, fields });
    return Response.json(answer, { status: request.method === "POST" ? 201 : 200 });
  }

  const loopback = await startLoopback(async (request) => {
    if (request.headers.get("x-api-key") !== apiKey) return problem(401, "missing_credentials", "Missing credentials");
    const { pathname, searchParams } = new URL(request.path, "http://unipile");
    if (!pathname.startsWith("/api/v1/")) return new Response("Cannot GET", { status: 404 });
    const parts = pathname.slice("/api/v1/".length).split("/").map(decodeURIComponent);
    const path = parts.join("/");
    const isGet = request.method === "GET";
    if ((isGet || request.method === "DELETE") && searchParams.get("account_id") !== accountId)
      return problem(404, "resource_not_found", "Account not found");

    if (path === "users/invite" && !isGet)
      return await act(request, path, ({ provider_id: id, account_id: account }) => {
        const member = memberBy(String(id));
        if (account !== accountId || member === undefined) return problem(422, "invalid_recipient", "No such user");
        if (member.withdrawn) return problem(422, "already_invited_recently", "Should delay new invitation");
        member.relation = "pending";
        return { object: "UserInvitationSent", invitation_id: `inv-${member.name}`, usage: 12 };
      });
    if (path === "users/invite/sent") return Response.json(pageOf(invitations(), searchParams));
    if (path.startsWith("users/invite/sent/"))
      return await act(request, "users/invite/sent", () => {
        const member = [...members.values()].find(({ name }) => `inv-${name}` === parts[3]);
        if (member === undefined || member.relation !== "pending") return notFound();
        member.relation = "none";
        return { object: "InvitationCanceled" };
      });
    if (path === "users/relations") return Response.json(pageOf(relations(), searchParams));
    if (parts[0] === "users" && parts[2] === "posts") {
      const posts = memberBy(parts[1] ?? "")?.posts ?? [];
      return Response.json({
        object: "PostList",
        items: posts.map((post) => ({ object: "Post", ...post })),
        cursor: null,
      });
    }
    if (parts[0] === "users" && parts.length === 2) {
      const member = memberBy(parts[1] ?? "");
      if (member === undefined) return problem(422, "invalid_recipient", "The recipient cannot be reached");
      if (searchParams.get("notify") === "true")
        return await act(request, "visit", () => profileOf(member, searchParams));
      return Response.json(profileOf(member, searchParams));
    }
    if (parts[0] === "chat_attendees" && parts[2] === "chats") {
      const chats = [
        ...new Set(messages.filter(({ chat_id }) => chat_id === `chat-${parts[1]}`).map((m) => m.chat_id)),
      ];
      if (chats.length === 0) return notFound();
      return Response.json({ object: "ChatList", items: chats.map((id) => ({ object: "Chat", id })), cursor: null });
    }
    if (parts[0] === "chat_attendees") {
      const member = memberBy((parts[1] ?? "").replace(/^att-/, ""));
      if (member === undefined) return notFound();
      const id = idOf(member.name);
      const profile_url = `https://www.linkedin.com/in/${shownById.has(member.name) ? id : member.name}/`;
      return Response.json({
        object: "ChatAttendee",
        id: `att-${id}`,
        provider_id: id,
        name: member.name,
        profile_url,
      });
    }
    if (path === "chats" && !isGet)
      return await act(request, path, (fields) => deliver(String(fields["attendees_ids"]), fields));
    if (parts[0] === "chats" && parts.length === 2 && isGet) {
      const id = parts[1] ?? "";
      if (!messages.some(({ chat_id }) => chat_id === id)) return notFound();
      const chat = { object: "Chat", id, type: 0, attendee_provider_id: id.slice("chat-".length), ...chats.get(id) };
      return Response.json({ ...chat, account_id: accountId, unread_count: 0 });
    }
    if (parts[0] === "chats" && parts[2] === "messages")
      return await act(request, "chats/messages", (fields) => deliver((parts[1] ?? "").slice("chat-".length), fields));
    if (path === "messages") {
      const after = Date.parse(searchParams.get("after") ?? "") || 0;
      const items = messages
        .filter(({ timestamp }) => Date.parse(timestamp) > after)
        .map((message) => ({ object: "Message", ...message, sender_attendee_id: `att-${message.sender_id}` }))
        .toReversed();
      return Response.json(pageOf(items, searchParams));
    }
    if (path === "posts/reaction")
      return await act(request, path, ({ post_id: id }) =>
        postBy(String(id)) ? { object: "ReactionAdded" } : problem(422, "invalid_post", "The post is not valid"),
      );
    if (parts[0] === "posts" && parts[2] === "comments")
      return await act(request, "posts/comments", () =>
        postBy(parts[1] ?? "") ? { object: "CommentSent", comment_id: "comment-1" } : notFound(),
      );
    if (parts[0] === "posts") {
      const post = [...members.values()]
        .flatMap(({ posts = [] }) => posts)
        .find((p) => p.social_id.endsWith(parts[1] ?? "?"));
      return post ? Response.json({ object: "Post", provider: "LINKEDIN", ...post }) : notFound();
    }
    if (path === "linkedin/profile/endorse")
      return await act(request, path, () => ({ object: "LinkedinProfileEndorse", endorsed: true }));
    return problem(404, "resource_not_found", `Cannot ${request.method} ${pathname}`);
  });

  function postBy(id: string): boolean {
    return [...members.values()].some(({ posts = [] }) => posts.some(({ social_id }) => social_id === id));
  }

  function deliver(recipient: string, fields: Record<string, unknown>): object | Response {
    const member = memberBy(recipient);
    if (member === undefined) return problem(422, "invalid_recipient", "The recipient is not valid");
    if (member.relation !== "connected" && fields["linkedin[inmail]"] !== "true")
      return problem(422, "no_connection_with_recipient", "The recipient appears not to be first degree connection");
    made++;
    const chat_id = `chat-${idOf(member.name)}`;
    messages.push({
      chat_id,
      is_sender: 1,
      sender_id: "ACoAAme",
      text: typeof fields["text"] === "string" ? fields["text"] : "",
      timestamp: "2026-01-05T10:00:00.000Z",
    });
    return { object: "ChatStarted", chat_id, message_id: `message-${made}` };
  }

  function invitations(): object[] {
    return [...members.values()]
      .filter(({ relation }) => relation === "pending")
      .map(({ name }) => ({
        object: "InvitationSent",
        id: `inv-${name}`,
        date: "Sent today",
        parsed_datetime: "2026-01-05T10:00:00.000Z",
        invitation_text: null,
        invited_user: name,
        invited_user_id: idOf(name),
        invited_user_public_id: name,
        invited_user_description: "",
      }));
  }

  function relations(): object[] {
    return [...members.values()]
      .filter(({ relation }) => relation === "connected")
      .toSorted((a, b) => (b.connectedAt ?? 0) - (a.connectedAt ?? 0))
      .map(({ name, connectedAt = 0 }) => ({
        object: "UserRelation",
        member_id: idOf(name),
        public_identifier: name,
        public_profile_url: `https://www.linkedin.com/in/${name}/`,
        created_at: connectedAt,
        first_name: name,
        last_name: "",
        headline: "",
      }));
  }

  return Object.assign(loopback, {
    apiKey,
    accountId,
    members,
    messages,
    chats,
    shownById,
    effects,
    refuseNext(status: number, type: string, detail?: string, headers?: Record<string, string>) {
      next = problem(status, type, detail, headers);
    },
  });
}

function profileOf({ name, relation, withdrawn, isSelf = false, skills = [] }: Member, query: URLSearchParams): object {
  return {
    object: "UserProfile",
    provider: "LINKEDIN",
    provider_id: idOf(name),
    public_identifier: name,
    is_self: isSelf,
    is_relationship: relation === "connected",
    network_distance: relation === "connected" ? "FIRST_DEGREE" : "SECOND_DEGREE",
    ...(relation === "pending" && { invitation: { type: "SENT", status: "PENDING" } }),
    ...(withdrawn && { invitation: { type: "SENT", status: "WITHDRAWN" } }),
    ...(query.get("linkedin_sections") === "skills" && { skills }),
  };
}

function pageOf(items: readonly object[], query: URLSearchParams): object {
  const limit = Number(query.get("limit") ?? 100);
  const start = Number(query.get("cursor") ?? 0);
  const end = start + limit;
  return { object: "List", items: items.slice(start, end), cursor: end < items.length ? `${end}` : null };
}
