import { basePathOf } from "../base/base-path.ts";
import { routes } from "./route.ts";
// Imported by path because the package does not export it. The attribute turns the import into the path of the file,
// also in the executable.
// @ts-expect-error The package has no types.
import scalarFile from "../../../node_modules/@scalar/api-reference/dist/browser/standalone.js" with { type: "file" };

const configuration = {
  // Each of these would contact another host.
  withDefaultFonts: false,
  hideClientButton: true,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
};

const pageBelow = (basePath: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>outreachd API</title></head>
<body>
<script id="api-reference" data-url="${basePath}/openapi.json" data-configuration='${JSON.stringify({ url: `${basePath}/openapi.json`, ...configuration })}'></script>
<script src="${basePath}/docs/scalar.js"></script>
</body>
</html>
`;

/** Only this server; the viewer generates its styles at run time. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** The OpenAPI document and a page that renders it, without requests to other hosts. */
export function docsRoutes(document: () => Promise<object>, publicUrl: string | null) {
  const page = pageBelow(basePathOf(publicUrl));
  let json: string | null = null;
  return routes("")
    .get(
      "/openapi.json",
      async () => {
        json ??= JSON.stringify(await document());
        return new Response(json, { headers: { "content-type": "application/json", "cache-control": "no-cache" } });
      },
      {},
    )
    .get(
      "/docs",
      () =>
        new Response(page, {
          headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": pagePolicy },
        }),
      {},
    )
    .get(
      "/docs/scalar.js",
      () =>
        new Response(Bun.file(scalarFile as string), {
          headers: { "content-type": "text/javascript; charset=utf-8", "cache-control": "public, max-age=3600" },
        }),
      {},
    )
    .get("/swagger", () => new Response(null, { status: 308, headers: { location: "/docs" } }), {});
}
