import { Type, type Static } from "@sinclair/typebox";
import { invalid } from "../base/errors.ts";
import type { Core } from "../http/core.ts";
import { numberIn } from "../http/cursor.ts";
import { feature } from "../http/feature.ts";
import { params } from "../http/input.ts";
import { logPageFields, pageQuery } from "../http/paging.ts";
import { answers, answersJson, success } from "../http/openapi.ts";
import { ok } from "../http/responses.ts";
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
      description: "Types, or groups such as `lead.*`; several by commas or by repeating the parameter.",
    }),
  ),
  leadId: subject("Of this lead: its timeline."),
  jobId: subject("Of this job."),
  campaignId: subject("Of this campaign."),
  accountId: subject("Of this network account."),
  voiceId: subject("Of this voice clone."),
  userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
};
const order = ["desc", "asc"] as const;
const ListQuery = Type.Object({
  ...filterFields,
  after: Id("Only events behind this id."),
  before: Id("Only events before this id."),
  order: Type.Optional(
    Type.Union(
      order.map((each) => Type.Literal(each)),
      { default: "desc", description: "desc: newest first." },
    ),
  ),
  ...pageQuery(50, 100),
});
const StreamQuery = Type.Object({
  ...filterFields,
  after: Id("Begin behind the event of this id, as the header Last-Event-ID says it; without, with events to come."),
});
const EventPage = Type.Object({
  events: Type.Array(EventView),
  ...logPageFields,
});

const catalogue = Object.entries(eventTypes)
  .map(([type, text]) => `- \`${type}\`: ${text}`)
  .join("\n");

export function eventRoutes(core: Core, events: EventService, streams: EventStreams) {
  return feature(core, "/api/v2/events")
    .get(
      "/",
      async ({ caller, userId, query }) => {
        const { limit = 50, order: wanted = "desc", cursor } = query;
        // The cursor is the id of an event, which `after` and `before` take as well.
        const from = cursor === undefined ? null : numberIn(cursor);
        const after = (wanted === "asc" ? from : null) ?? query.after ?? null;
        const before = (wanted === "desc" ? from : null) ?? query.before ?? null;
        const filter = filterOf(query);
        const scopes = scopesOf(caller, userId, filter);
        const page = await events.page({ scopes, filter, after, before, newestFirst: wanted === "desc", limit });
        const nextCursor = page.next === null ? null : `${page.next}`;
        return ok({ events: page.events.map(eventView), total: page.total, limit, nextCursor });
      },
      {
        access: "events:read",
        query: params(ListQuery),
        detail: answersJson(success(EventPage), {
          tag: "Events",
          summary: "List what happened",
          description: `With leadId it is the timeline of a lead. Types:\n\n${catalogue}`,
        }),
      },
    )
    .get(
      "/stream",
      async ({ caller, userId, query, request, server }) => {
        const filter = filterOf(query);
        const scopes = scopesOf(caller, userId, filter);
        const stream = await streams.open({ caller, scopes, filter }, startOf(request.headers, query.after));
        // A stream may be silent for long; once it has ended, a client that takes nothing is cut off again.
        server?.timeout(request, 0);
        request.signal.addEventListener("abort", () => stream.end("The client went away."));
        stream.onEnd(() => server?.timeout(request, lastWordsSeconds));
        return new Response(stream.body, { headers: streamHeaders });
      },
      {
        access: "events:read",
        query: params(StreamQuery),
        detail: answers(
          { "text/event-stream": { schema: Type.String() } },
          {
            tag: "Events",
            summary: "Follow what happens, live",
            description:
              "Server-sent events: `id`, `event` (the type) and `data` (the event as JSON, as in the list). With the header Last-Event-ID, or `after`, it begins behind that event, so that nothing is missed. A comment comes every 15 seconds. `event: end` tells why the server ends the stream: the key was revoked, nothing was read for a minute, or the server stops.",
          },
        ),
      },
    );
}

/** How long a client has to take what it was sent last. */
const lastWordsSeconds = 30;
const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  // Or nginx would keep events until it has a few kilobytes of them.
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
