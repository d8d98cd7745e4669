import { join } from "node:path";
import { asset, assetsPath, type Asset } from "./asset.ts";
import { defaultDocument, documentName, pageModules } from "./documents.ts";

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
    metafile: true,
    naming: "[name]-[hash].[ext]",
    // Scripts refer to each other relative to themselves, so they work below any path.
    define: { "process.env.NODE_ENV": '"production"' },
    jsx: { runtime: "automatic", importSource: "preact", development: false },
  });
  const texts = new Map<string, string>();
  const files = await Promise.all(
    built.outputs.map(async (output) => {
      const name = output.path.replace(/^.*[\\/]/, "");
      const text = await output.text();
      texts.set(name, text);
      return asset(name, output.type, text);
    }),
  );
  const icon = asset("icon.svg", "image/svg+xml", await Bun.file(join(app, "icon.svg")).text());
  const named = (pattern: RegExp): string => {
    const found = files.find(({ name }) => pattern.test(name));
    if (found === undefined) throw new Error(`Expected the build to produce ${pattern}`);
    return found.name;
  };
  const main = named(/^main-.*\.js$/);
  const html = (await Bun.file(join(app, "index.html")).text())
    .replace("{{theme}}", urlOf(named(/^theme-.*\.js$/)))
    .replace("{{styles}}", urlOf(named(/^main-.*\.css$/)))
    .replaceAll("{{icon}}", urlOf("icon.svg"))
    .replace("{{main}}", urlOf(main));
  const document = (name: string, scripts: Iterable<string>): Asset => {
    const links = [...scripts].map(preloadLink).join("\n    ");
    return asset(name, "text/html; charset=utf-8", html.replace("{{preloads}}", links));
  };
  const pages = pageModules(await Bun.file(join(app, "pages.ts")).text()).map(({ pattern, module }) => {
    const script = scriptOf(module, built.metafile);
    const scripts = new Set([...importsOf(main, texts), script, ...importsOf(script, texts)]);
    scripts.delete(main);
    return document(documentName(pattern), scripts);
  });
  return [document(defaultDocument, importsOf(main, texts)), ...pages, icon, ...files];
}

/** Name of the script that a lazily loaded module became. */
function scriptOf(module: string, metafile: Bun.BuildMetafile | undefined): string {
  const outputs = Object.entries(metafile?.outputs ?? {});
  const found = outputs.find(([, { entryPoint }]) => entryPoint?.replaceAll("\\", "/").endsWith(`/app/${module}`));
  if (found === undefined) throw new Error(`Expected the build to produce a script of ${module}`);
  return found[0].replace(/^.*[\\/]/, "");
}

/**
 * Names of the scripts that a script imports statically, also indirectly. Without being named in the page, each level of
 * them would cost a round trip.
 */
function importsOf(name: string, texts: ReadonlyMap<string, string>, found = new Set<string>()): Set<string> {
  for (const [, imported = ""] of (texts.get(name) ?? "").matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
    if (found.has(imported)) continue;
    found.add(imported);
    importsOf(imported, texts, found);
  }
  return found;
}

function preloadLink(name: string): string {
  return `<link rel="modulepreload" href="${urlOf(name)}" />`;
}

function urlOf(name: string): string {
  return assetsPath + name;
}
