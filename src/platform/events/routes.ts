import { Type, type Static } from "@sinclair/typebox";
import { invalid } from "../base/errors.ts";
import { numberIn } from "../http/cursor.ts";
import { routes } from "../http/route.ts";
import { params } from "../http/input.ts";
import { logPageFields, pageQuery } from "../http/paging.ts";
import { answers, answersJson, success } from "../http/openapi.ts";
import { ok } from "../http/request-context.ts";
import { eventSubjects, eventTypes, EventView, type EventFilter } from "./model.ts";
import { startOf } from "./resume.ts";
import { scopesOf, type EventService } from "./service.ts";
import type { EventStreams } from "./streams.ts";
import { typesOf, unknownType } from "./type-filter.ts";
import { eventView } from "./view.ts";

const Id = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));
const subject = (description: string) => Type.Optional(Type.String({ description }));

const filterFields = {
  type: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Event types, or groups such as `lead.*`. Separate multiple values with commas, or repeat the parameter.",
    }),
  ),
  leadId: subject("Only events of this lead: its timeline."),
  jobId: subject("Only events of this job."),
  campaignId: subject("Only events of this campaign."),
  accountId: subject("Only events of this network account."),
  voiceId: subject("Only events of this voice clone."),
  userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
};
const order = ["desc", "asc"] as const;
const ListQuery = Type.Object({
  ...filterFields,
  after: Id("Only events after this ID."),
  before: Id("Only events before this ID."),
  order: Type.Optional(
    Type.Union(
      order.map((each) => Type.Literal(each)),
      { default: "desc", description: "`desc` lists the newest events first." },
    ),
  ),
  ...pageQuery(50, 100),
});
const StreamQuery = Type.Object({
  ...filterFields,
  after: Id("Start after the event with this ID, like the header Last-Event-ID. Defaults to new events only."),
});
const EventPage = Type.Object({
  events: Type.Array(EventView),
  ...logPageFields,
});

const catalogue = Object.entries(eventTypes)
  .map(([type, text]) => `- \`${type}\`: ${text}`)
  .join("\n");

export function eventRoutes(events: EventService, streams: EventStreams) {
  return routes("/api/v2/events")
    .get(
      "/",
      async ({ caller, workspaceId, query }) => {
        const { limit = 50, order: wanted = "desc", cursor } = query;
        // The cursor is an event ID, as in `after` and `before`.
        const from = cursor === undefined ? null : numberIn(cursor);
        const after = (wanted === "asc" ? from : null) ?? query.after ?? null;
        const before = (wanted === "desc" ? from : null) ?? query.before ?? null;
        const filter = filterOf(query);
        const scopes = scopesOf(caller, workspaceId, filter);
        const page = await events.page({ scopes, filter, after, before, newestFirst: wanted === "desc", limit });
        const nextCursor = page.next === null ? null : `${page.next}`;
        return ok({ events: page.events.map(eventView), total: page.total, limit, nextCursor });
      },
      {
        access: "events:read",
        query: params(ListQuery),
        docs: answersJson(success(EventPage), {
          tag: "Events",
          summary: "List events",
          description: `With \`leadId\`, returns the timeline of a lead. Event types:\n\n${catalogue}`,
        }),
      },
    )
    .get(
      "/stream",
      async ({ caller, workspaceId, query, request, setIdleTimeout }) => {
        const filter = filterOf(query);
        const scopes = scopesOf(caller, workspaceId, filter);
        const stream = await streams.open({ caller, scopes, filter }, startOf(request.headers, query.after));
        // A stream may be silent for a long time. Once it has ended, a client that stops reading is disconnected.
        setIdleTimeout(0);
        request.signal.addEventListener("abort", () => stream.end("Client disconnected."));
        stream.onEnd(() => setIdleTimeout(drainTimeoutSeconds));
        return new Response(stream.body, { headers: streamHeaders });
      },
      {
        access: "events:read",
        query: params(StreamQuery),
        docs: answers(
          { "text/event-stream": { schema: Type.String() } },
          {
            tag: "Events",
            summary: "Stream events",
            description:
              "Server-sent events with `id`, `event` (the type), and `data` (the event as JSON, as in the list). To resume without missing events, send the ID of the last event in the header Last-Event-ID or in `after`. A comment is sent every 15 seconds to keep the connection alive. Before the server closes the stream, it sends `event: end` with the reason: the key was revoked, the client read nothing for a minute, or the server is shutting down.",
          },
        ),
      },
    );
}

/** How long a client has to read the end of a closed stream. */
const drainTimeoutSeconds = 30;
const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  // Otherwise nginx buffers events until it has a few kilobytes.
  "x-accel-buffering": "no",
};

type FilterQuery = Pick<Static<typeof StreamQuery>, "type" | (typeof eventSubjects)[number]>;

function filterOf(query: FilterQuery): EventFilter {
  const filter: EventFilter = {};
  for (const name of eventSubjects) if (query[name] !== undefined) filter[name] = query[name];
  if (query.type === undefined) return filter;
  const found = typesOf(query.type);
  if ("unknown" in found) throw invalid([{ path: "type", message: unknownType(found.unknown) }]);
  return { ...filter, types: found.types };
}
