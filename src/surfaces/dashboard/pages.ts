import { ApiError } from "../../platform/base/errors.ts";
import type { ResponseSettings } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { basePathOf } from "../../platform/base/base-path.ts";
import { encodings, pageBelow, type Asset, type Encoding } from "./asset.ts";

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

/** The dashboard: one HTML document, served at / and at every path below /app, and the files it loads. */
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
    const isPage = name === "index.html";
    Object.assign(set.headers, {
      "cache-control": name.includes(asset.hash) || /-[a-z0-9]{8}\.\w+$/.test(name) ? forever : "no-cache",
      vary: "accept-encoding",
      etag,
      "cross-origin-resource-policy": "same-origin",
      ...(isPage && { "content-security-policy": contentSecurityPolicy, "cross-origin-opener-policy": "same-origin" }),
    });
    if (request.headers.get("if-none-match")?.includes(etag)) {
      return new Response(null, { status: 304 });
    }
    return new Response(bodyOf(asset, encoding), {
      headers: { "content-type": asset.type, ...(encoding !== null && { "content-encoding": encoding }) },
    });
  }

  return routes("")
    .get("/", ({ request, set }) => serve("index.html", request, set), {})
    .get("/app", ({ request, set }) => serve("index.html", request, set), {})
    .get("/app/assets/:name", ({ request, set, params: { name = "" } }) => serve(name, request, set), {})
    .get("/app/*", ({ request, set }) => serve("index.html", request, set), {});
}

async function loadAssets(basePath: string): Promise<Map<string, Asset>> {
  const { embedded } = await import("./embedded.ts");
  const assets = embedded ?? (await (await import("./build.ts")).buildAssets());
  const served = new Map(assets.map((asset) => [asset.name, asset]));
  const page = served.get("index.html");
  if (basePath !== "" && page !== undefined) served.set(page.name, pageBelow(page, basePath));
  return served;
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
