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
  // Its menus lead to the vendor.
  showDeveloperTools: "never",
};

/** The viewer is told how much room the navigation above it takes. */
const styles = `
:root { color-scheme: light dark; --scalar-custom-header-height: 48px; }
body { margin: 0; }
body > nav {
  position: sticky; top: 0; z-index: 10; display: flex; align-items: center; gap: 1.25rem; height: 48px; padding: 0 1.5rem;
  box-sizing: border-box; border-bottom: 1px solid light-dark(#dfe3ea, #2a303c); background: light-dark(#fff, #0f1218);
  font: 15px system-ui, sans-serif; color: light-dark(#161b26, #e8ebf1);
}
body > nav a { color: light-dark(#566073, #a2acbd); text-decoration: none; }
body > nav b { font-weight: 400; }`;

const pageBelow = (basePath: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>outreachd API</title>
<link rel="icon" href="${basePath}/app/assets/icon.svg">
<style>${styles}</style></head>
<body>
<nav aria-label="Documentation"><a href="${basePath}/docs/guides">Guides</a><b>API reference</b><a href="${basePath}/app">Dashboard</a></nav>
<script id="api-reference" data-url="${basePath}/openapi.json" data-configuration='${JSON.stringify({ url: `${basePath}/openapi.json`, ...configuration })}'></script>
<script src="${basePath}/docs/scalar.js"></script>
</body>
</html>
`;

/** Only this server; the viewer generates its styles at run time. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** The OpenAPI document and a page that renders it, without requests to other hosts. The guides are next to it. */
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
