import { ApiError } from "../base/errors.ts";

/** A page of another origin can't send it without a preflight, which is refused. */
export const pageHeader = "x-outreachd-page";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Throws PERMISSION_DENIED for a request that a cookie speaks for unless it comes from a page of this server. What the
 * browser says (Fetch Metadata) decides; SameSite alone would let in every other port of the same machine. A request
 * that changes something must also carry our header, and its Origin must be ours: browsers send no Fetch Metadata over
 * plain http in a local network.
 */
export function requireOwnPage(request: Request, publicUrl: string | null): void {
  const { headers, method } = request;
  const site = headers.get("sec-fetch-site");
  const isSafe = safeMethods.has(method);
  // none: typed into the address bar, or a bookmark.
  if (site !== null && site !== "same-origin" && !(isSafe && site === "none")) throw foreign();
  if (isSafe) return;
  if (headers.get(pageHeader) === null) throw foreign();
  const origin = headers.get("origin");
  if (site === null && origin !== null && !isOwn(origin, headers.get("host"), publicUrl)) throw foreign();
}

function isOwn(origin: string, host: string | null, publicUrl: string | null): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.host === host || (publicUrl !== null && url.origin === new URL(publicUrl).origin);
}

function foreign(): ApiError {
  return new ApiError("PERMISSION_DENIED", {
    permissionHelp: { required: "*", available: [] },
    message: `A session works from the pages of this server only, with the header ${pageHeader}. Programs send an API key.`,
  });
}
