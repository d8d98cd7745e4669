/**
 * Generates what clients/typescript has of the API: types and the table of operations. Both are made whenever the package is
 * packed and are not in the repository, so they cannot be out of date. `bun run client` packs it into dist/.
 */
import { tmpdir } from "node:os";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
export const clientSource = join(root, "clients/typescript");

type Operations = Record<string, { operationId?: string }>;
type Document = { paths: Record<string, Operations> };

const methods = ["get", "post", "put", "patch", "delete"];

/** Writes the package for an OpenAPI document to a folder. */
export async function writeClient(document: object, version: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(clientSource, folder, { recursive: true });
  await cp(join(root, "LICENSE"), join(folder, "LICENSE"));
  const description = (await Bun.file(join(clientSource, "package.json")).json()) as object;
  await Bun.write(join(folder, "package.json"), `${JSON.stringify({ ...description, version }, null, 2)}\n`);
  await Bun.write(join(folder, "schema.d.ts"), await typesOf(document));
  await Bun.write(join(folder, "operations.js"), operationsOf(document as Document));
}

/** The generator needs the programming interface of TypeScript 5, which 7 does not have. */
async function typesOf(document: object): Promise<string> {
  const typescript = await import("typescript-5");
  Bun.plugin({
    name: "typescript-5",
    setup: (build) => void build.module("typescript", () => ({ exports: { ...typescript }, loader: "object" })),
  });
  const { astToString, default: openapiTypescript } = await import("openapi-typescript");
  return astToString(await openapiTypescript(JSON.stringify(document)));
}

function operationsOf({ paths }: Document): string {
  const table = Object.entries(paths).flatMap(([path, operations]) =>
    methods.flatMap((method) => {
      const id = operations[method]?.operationId;
      return id === undefined ? [] : [`  ${id}: ["${method.toUpperCase()}", "${path}"],`];
    }),
  );
  return `/** Method and path of each operation. */\nexport const operations = {\n${table.join("\n")}\n};\n`;
}

/** The OpenAPI document as a new server serves it. */
export async function servedDocument(): Promise<object> {
  const data = await mkdtemp(join(tmpdir(), "outreachd-client-"));
  const { createApp } = await import("../src/surfaces/app.ts");
  const { loadConfig } = await import("../src/app/config/config.ts");
  const app = await createApp(
    loadConfig({
      flags: {},
      env: { OUTREACHD_DATA: data, OUTREACHD_LOG_LEVEL: "error", OUTREACHD_LISTEN: "127.0.0.1:0" },
    }),
  );
  await app.start();
  const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as object;
  await app.stop();
  await rm(data, { recursive: true });
  return document;
}

async function pack(): Promise<void> {
  const { version } = await import("../src/platform/base/version.ts");
  const folder = join(root, "dist/client");
  await writeClient(await servedDocument(), version, folder);
  const packed = Bun.spawnSync([process.execPath, "pm", "pack", "--destination", join(root, "dist")], { cwd: folder });
  if (!packed.success) throw new Error(packed.stderr.toString());
  console.log(packed.stdout.toString().trim());
}

if (import.meta.main) await pack();
