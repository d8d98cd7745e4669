import { feature, type Core } from "./routes.ts";
// Not among the package's exports, hence the path; with this attribute the import is the file's place, also compiled.
// @ts-expect-error It has no types.
import scalarFile from "../../../node_modules/@scalar/api-reference/dist/browser/standalone.js" with { type: "file" };

const configuration = {
  url: "/openapi.json",
  // Each of these would reach for another host.
  withDefaultFonts: false,
  hideClientButton: true,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
};

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>outreachd API</title></head>
<body>
<script id="api-reference" data-url="/openapi.json" data-configuration='${JSON.stringify(configuration)}'></script>
<script src="/docs/scalar.js"></script>
</body>
</html>
`;

/** Only from this server; the viewer makes its styles while it runs. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** The OpenAPI document and a page to read it with, which asks no other host for anything. */
export function docsRoutes(core: Core, document: () => Promise<object>) {
  let json: string | null = null;
  const hidden = { detail: { hide: true } };
  return feature(core, "")
    .get(
      "/openapi.json",
      async () => {
        json ??= JSON.stringify(await document());
        return new Response(json, { headers: { "content-type": "application/json", "cache-control": "no-cache" } });
      },
      hidden,
    )
    .get(
      "/docs",
      ({ set }) => {
        set.headers["content-security-policy"] = pagePolicy;
        return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } });
      },
      hidden,
    )
    .get(
      "/docs/scalar.js",
      ({ set }) => {
        set.headers["cache-control"] = "public, max-age=3600";
        return new Response(Bun.file(scalarFile as string), {
          headers: { "content-type": "text/javascript; charset=utf-8" },
        });
      },
      hidden,
    )
    .get("/swagger", ({ redirect }) => redirect("/docs", 308), hidden);
}
