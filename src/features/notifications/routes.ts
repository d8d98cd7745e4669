import { Type } from "@sinclair/typebox";
import { numberIn } from "../../platform/http/cursor.ts";
import { body, params } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { pageFields, pageQuery } from "../../platform/http/paging.ts";
import { ok } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { maxNotifications, notificationDays, NotificationView, ReadInput } from "./model.ts";
import type { NotificationService } from "./service.ts";

const unread = Type.Integer({ description: "Number of notifications that you have not read." });
const NotificationPage = Type.Object({ notifications: Type.Array(NotificationView), unread, ...pageFields });
const NotificationQuery = Type.Object({
  userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
  ...pageQuery(20, 100),
});

export function notificationRoutes(notifications: NotificationService) {
  return routes("/api/v2/notifications")
    .get(
      "/",
      async (context) => {
        const { limit = 20, cursor } = context.query;
        const { next, ...page } = await notifications.page(
          context,
          limit,
          cursor === undefined ? null : numberIn(cursor),
        );
        return ok({ ...page, limit, nextCursor: next === null ? null : `${next}` });
      },
      {
        access: "events:read",
        query: params(NotificationQuery),
        docs: answersJson(success(NotificationPage), {
          tag: "Notifications",
          summary: "List your notifications, newest first",
          description: `What a member should know: replies, accounts that need reconnecting, ended imports and trainings, completed campaigns, disabled webhooks, and used-up credits, of the last ${notificationDays} days, at most ${maxNotifications}. Those of imports and trainings are for the member who began them. The same is in the event stream as it happens.`,
        }),
      },
    )
    .post("/read", async (context) => ok(await notifications.markRead(context, context.body)), {
      access: "events:read",
      body: body(ReadInput),
      docs: answersJson(success(Type.Object({ unread })), {
        tag: "Notifications",
        summary: "Mark notifications as read",
        description: "For you only: each member has their own state. Safe to repeat.",
      }),
    });
}
