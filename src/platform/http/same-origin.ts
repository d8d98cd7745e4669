import { ApiError } from "../base/errors.ts";

/** A page of another origin cannot send this header without a preflight, which is refused. */
export const pageHeader = "x-outreachd-page";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Throws PERMISSION_DENIED for a request that is authenticated by a cookie unless it comes from a page of this server, as
 * reported by the browser (Fetch Metadata). SameSite alone would accept every other port of the same machine. A request
 * that changes something must also have `pageHeader` and our Origin: over plain HTTP in a local network, browsers send no
 * Fetch Metadata.
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
    message: `Sessions work only from the pages of this server, with the header ${pageHeader}. From programs, send an API key.`,
  });
}
