import type { RequestContext } from "../../platform/http/request-context.ts";
import { requireOwnPage } from "../../platform/http/same-origin.ts";

/** Makes handlers that refuse pages of other origins. */
export function ownPageOnly(publicUrl: string | null) {
  return <T>(handle: (context: RequestContext) => T) =>
    (context: RequestContext): T => {
      requireOwnPage(context.request, publicUrl);
      return handle(context);
    };
}
