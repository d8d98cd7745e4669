import type { SessionParts } from "../../app/surfaces.ts";
import { AcceptInput, TokenInput } from "../../features/workspaces/invitations/model.ts";
import { body, readJson } from "../../platform/http/input.ts";
import { refuseStranger } from "../../platform/http/rate-limit.ts";
import { ok, type RequestContext } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { ownPageOnly } from "./own-page.ts";
import { requireWritable } from "../../platform/http/write-refusal.ts";

const maxBytes = 4096;

const previewInput = body(TokenInput)["~standard"];
const acceptInput = body(AcceptInput)["~standard"];

/** For people who follow the link of an invitation and have no key yet. Those who try links are limited by address. */
export function invitationPage({ invitations, operations, limiter, clock, publicUrl }: SessionParts) {
  const ofStranger = <T>(context: RequestContext, result: Promise<T>): Promise<T> =>
    result.catch((error: unknown) => refuseStranger(context, error, limiter, clock));

  async function preview(context: RequestContext) {
    const { value } = previewInput.validate(await readJson(context, maxBytes));
    return ok(await ofStranger(context, invitations.preview(value.token)));
  }

  async function accept(context: RequestContext) {
    const { request, route, origin } = context;
    if (operations.writeRefusal !== null) requireWritable(request.method, route, operations.writeRefusal);
    const { value } = acceptInput.validate(await readJson(context, maxBytes));
    return ok(await ofStranger(context, invitations.accept(value, origin)));
  }

  const fromOwnPage = ownPageOnly(publicUrl);
  return routes("/app/invitation").post("/preview", fromOwnPage(preview), {}).post("/accept", fromOwnPage(accept), {});
}
