import { basePathOf } from "../../platform/base/base-path.ts";
import { routes } from "../../platform/http/route.ts";

/** No scripts, and nothing from other hosts. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Loaded with the first page: most servers never show one. */
const load = () => import("./served.ts");

/** The guides as pages and as Markdown, next to the API reference at /docs, and llms.txt. Public, as the reference is. */
export function guidePages({ publicUrl }: { publicUrl: string | null }) {
  const basePath = basePathOf(publicUrl);
  return routes("")
    .get("/docs/docs.css", async () => answer((await load()).styles, "text/css"), {})
    .get(
      "/docs/images/:name",
      async ({ params: { name = "" } }) => {
        const { images } = await load();
        const file = Object.hasOwn(images, name) ? images[name] : undefined;
        if (file === undefined) return await missing();
        return new Response(Bun.file(file), {
          headers: { "content-type": "image/png", "cache-control": "public, max-age=3600" },
        });
      },
      {},
    )
    .get("/docs/:name", ({ params: { name = "" } }) => page(name), {})
    .get(
      "/llms.txt",
      async ({ request }) => {
        const base = publicUrl?.replace(/\/+$/, "") ?? new URL(request.url).origin;
        return answer((await load()).llmsText(base), "text/plain");
      },
      {},
    );

  async function page(name: string): Promise<Response> {
    const { documentNamed, documentPage, markdownOf } = await load();
    const document = documentNamed(name.replace(/\.md$/, ""));
    if (document === null) return await missing();
    return name.endsWith(".md")
      ? answer(markdownOf(document, basePath), "text/markdown")
      : answer(documentPage(document, basePath), "text/html");
  }

  async function missing(): Promise<Response> {
    const { missingPage } = await load();
    return answer(missingPage(basePath), "text/html", 404);
  }
}

function answer(text: string, type: string, status = 200): Response {
  return new Response(text, {
    status,
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "cache-control": "no-cache",
      ...(type === "text/html" && { "content-security-policy": contentSecurityPolicy }),
    },
  });
}
