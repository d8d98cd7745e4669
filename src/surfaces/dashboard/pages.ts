import { ApiError } from "../../platform/base/errors.ts";
import type { RequestContext, ResponseSettings } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { basePathOf } from "../../platform/base/base-path.ts";
import { documentBelow, encodings, type Asset, type Encoding } from "./asset.ts";
import { defaultDocument, documentAt } from "./documents.ts";

/** No inline code, no other origins. blob: URLs are for audio and files that the page itself received. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** The content behind a hashed name never changes. */
const forever = "public, max-age=31536000, immutable";
/** A page shows the icon twice, and the tab once more. */
const oneDay = "public, max-age=86400";

/** The dashboard: HTML documents at / and at every path below /app, and the files they load. */
export function dashboardPages({ publicUrl }: { publicUrl: string | null }) {
  const load = onFirstUse(() => loadAssets(basePathOf(publicUrl)));

  async function serve(name: string, request: Request, set: ResponseSettings): Promise<Response> {
    const asset = (await load()).get(name);
    if (asset === undefined)
      throw new ApiError("NOT_FOUND", {
        message: `File ${name} not found. Reload the page: the server was probably updated.`,
        details: { resource: "file", id: name },
      });
    const encoding = accepted(request.headers.get("accept-encoding"));
    const etag = `"${asset.hash}-${encoding ?? "identity"}"`;
    const isDocument = name.startsWith(defaultDocument);
    Object.assign(set.headers, {
      "cache-control": cacheControlOf(asset),
      vary: "accept-encoding",
      etag,
      "cross-origin-resource-policy": "same-origin",
      ...(isDocument && {
        "content-security-policy": contentSecurityPolicy,
        "cross-origin-opener-policy": "same-origin",
      }),
    });
    if (request.headers.get("if-none-match")?.includes(etag)) {
      return new Response(null, { status: 304 });
    }
    return new Response(bodyOf(asset, encoding), {
      headers: { "content-type": asset.type, ...(encoding !== null && { "content-encoding": encoding }) },
    });
  }

  async function serveDocument({ request, set }: RequestContext): Promise<Response> {
    const { pathname } = new URL(request.url);
    return serve(documentAt(pathname, (await load()).keys()), request, set);
  }

  return routes("")
    .get("/", (context) => serveDocument(context), {})
    .get("/app", (context) => serveDocument(context), {})
    .get("/app/assets/:name", ({ request, set, params: { name = "" } }) => serve(name, request, set), {})
    .get("/app/*", (context) => serveDocument(context), {});
}

function cacheControlOf({ name, hash }: Asset): string {
  if (name.startsWith(defaultDocument)) return "no-cache";
  return name.includes(hash) || /-[a-z0-9]{8}\.\w+$/.test(name) ? forever : oneDay;
}

async function loadAssets(basePath: string): Promise<Map<string, Asset>> {
  const { embedded } = await import("./embedded.ts");
  const assets = embedded ?? (await (await import("./build.ts")).buildAssets());
  return new Map(
    assets.map((asset) => {
      const isMoved = basePath !== "" && asset.name.startsWith(defaultDocument);
      return [asset.name, isMoved ? documentBelow(asset, basePath) : asset];
    }),
  );
}

/** A failure is not cached: the next request tries again. */
function onFirstUse<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | null = null;
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = null;
      throw error;
    }));
}

/** The best encoding that the client accepts; null if it accepts none. A weight of 0 rejects one (RFC 9110, 12.5.3). */
function accepted(header: string | null): Encoding | null {
  const offered = (header ?? "").split(",").map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/),
  );
  const takes = (name: string) => offered.some(([encoding, weight]) => encoding === name && Number(weight ?? 1) > 0);
  return encodings.find(takes) ?? null;
}

function bodyOf({ bodies }: Asset, encoding: Encoding | null): Uint8Array<ArrayBuffer> {
  const compressed = Buffer.from(bodies[encoding ?? "gzip"], "base64");
  return new Uint8Array(encoding === null ? Bun.gunzipSync(compressed) : compressed);
}
