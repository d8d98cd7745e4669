import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import type { Asset } from "./asset.ts";

const app = join(import.meta.dir, "app");

/**
 * Builds the files that the browser loads. Separate from the build of the executable, which must not rename anything;
 * these files are minified because a user waits for every byte.
 */
export async function buildAssets(): Promise<Asset[]> {
  const built = await Bun.build({
    entrypoints: [join(app, "main.tsx"), join(app, "theme.ts"), join(app, "styles/main.css")],
    target: "browser",
    format: "esm",
    splitting: true,
    minify: true,
    naming: "[name]-[hash].[ext]",
    publicPath: "/app/assets/",
    define: { "process.env.NODE_ENV": '"production"' },
    jsx: { runtime: "automatic", importSource: "preact", development: false },
  });
  const texts = new Map<string, string>();
  const files = await Promise.all(
    built.outputs.map(async (output) => {
      const name = output.path.replace(/^.*[\\/]/, "");
      const text = await output.text();
      texts.set(`/app/assets/${name}`, text);
      return asset(name, output.type, text);
    }),
  );
  const icon = asset("icon.svg", "image/svg+xml", await Bun.file(join(app, "icon.svg")).text());
  const named = (pattern: RegExp): string => {
    const found = files.find(({ name }) => pattern.test(name));
    if (found === undefined) throw new Error(`Expected the build to produce ${pattern}`);
    return `/app/assets/${found.name}`;
  };
  const main = named(/^main-.*\.js$/);
  const html = (await Bun.file(join(app, "index.html")).text())
    .replace("{{icon}}", "/app/assets/icon.svg")
    .replace("{{theme}}", named(/^theme-.*\.js$/))
    .replace("{{styles}}", named(/^main-.*\.css$/))
    .replace("{{main}}", main)
    .replace("{{preloads}}", [...importsOf(main, texts)].map(preloadLink).join("\n    "));
  return [asset("index.html", "text/html; charset=utf-8", html), icon, ...files];
}

/**
 * URLs of the scripts that a script imports statically, also indirectly. Without being named in the page, each level of
 * them would cost a round trip.
 */
function importsOf(url: string, texts: ReadonlyMap<string, string>, found = new Set<string>()): Set<string> {
  for (const [, imported = ""] of (texts.get(url) ?? "").matchAll(/(?:from|import)"(\/app\/assets\/[\w-]+\.js)"/g)) {
    if (found.has(imported)) continue;
    found.add(imported);
    importsOf(imported, texts, found);
  }
  return found;
}

function preloadLink(url: string): string {
  return `<link rel="modulepreload" href="${url}" />`;
}

function asset(name: string, type: string, text: string): Asset {
  const bytes = Buffer.from(text);
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 16);
  return {
    name,
    type: type.replace(/;\s*charset/, "; charset"),
    hash,
    bodies: {
      br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).toString(
        "base64",
      ),
      zstd: zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }).toString("base64"),
      gzip: gzipSync(bytes, { level: 9 }).toString("base64"),
    },
  };
}
