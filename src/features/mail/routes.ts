import type { Caller } from "../../platform/auth/caller.ts";
import type { User } from "../../platform/auth/user-model.ts";
import { invalid } from "../../platform/base/errors.ts";
import { body } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { NotificationSettingsInput, NotificationSettingsView, TestMailView } from "./model.ts";
import type { MailService } from "./service.ts";

/** Notifications by mail. `userOf`: the user of a caller. */
export function mailRoutes(mail: MailService, userOf: (caller: Caller) => Promise<User | null>) {
  const own = async (caller: Caller): Promise<User> => {
    const user = await userOf(caller);
    if (user !== null) return user;
    throw invalid([{ path: "", message: "A global key belongs to no user. Use the key of a user." }]);
  };
  return routes("/api/v2")
    .get("/users/me/notifications", async ({ caller }) => ok(await mail.settings(await own(caller))), {
      callerOnly: "users:read",
      docs: answersJson(success(NotificationSettingsView), {
        tag: "Users",
        summary: "Get your notification settings",
        description: "What you are notified of by mail, in all workspaces.",
      }),
    })
    .put(
      "/users/me/notifications",
      async ({ caller, body: input }) => ok(await mail.update(await own(caller), input)),
      {
        callerOnly: "users:write",
        body: body(NotificationSettingsInput),
        docs: answersJson(success(NotificationSettingsView), {
          tag: "Users",
          summary: "Update your notification settings",
          description: "Kinds that are not sent stay as they are.",
        }),
      },
    )
    .post("/mail/test", async ({ caller }) => ok(await mail.sendTest(caller)), {
      callerOnly: "users:write",
      docs: answersJson(success(TestMailView), {
        tag: "Users",
        summary: "Send a test mail to yourself",
        description: "Admins only. Reports what the mail server answers.",
        errors: ["CONFLICT"],
      }),
    });
}
