import { describe, expect, test } from "bun:test";
import { loadConfig } from "../../src/app/config/config.ts";
import { createProviders } from "../../src/adapters/providers/enrichment/create-providers.ts";
import { readVendorMappings } from "../../src/adapters/providers/enrichment/http-vendor.ts";
import { createLocalProvider } from "../../src/adapters/providers/enrichment/local.ts";
import { FakeClock } from "../support/clock.ts";
import { createDirectory } from "../support/program.ts";
import { mappedVendorFile } from "../support/vendors.ts";

async function providersOf(env: Record<string, string>) {
  const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [`OUTREACHD_${name}`, value]));
  const local = createLocalProvider([], () => 0);
  return createProviders(local, loadConfig({ flags: {}, env: variables }), new FakeClock());
}
const shown = async (env: Record<string, string>) =>
  (await providersOf(env)).map(({ provider, timeoutMs, spendCap }) => [provider.name, timeoutMs / 1000, spendCap]);

describe("the providers that are switched on", () => {
  test("are the local one alone unless others are named", async () => {
    expect(await shown({})).toEqual([["local", 15, null]]);
  });

  test("come in the order in which they are named, with their limits", async () => {
    const keys = { PDL_KEY: "k", HUNTER_KEY: "k", APOLLO_KEY: "k", FULLENRICH_KEY: "k" };
    const env = {
      ...keys,
      ENRICHMENT_PROVIDERS: "local, web,pdl,hunter,apollo,fullenrich,gravatar,github,reacher,web",
      ENRICHMENT_URLS: "reacher=http://reacher.internal:8080/",
      ENRICHMENT_TIMEOUTS: "pdl=5",
      ENRICHMENT_SPEND_CAPS: "hunter=500,pdl=0",
    };
    expect(await shown(env)).toEqual([
      ["local", 15, null],
      ["web", 15, null],
      ["pdl", 5, 0],
      ["hunter", 15, 500],
      ["apollo", 15, null],
      ["fullenrich", 120, null],
      ["gravatar", 15, null],
      ["github", 15, null],
      ["reacher", 15, null],
    ]);
  });

  test.each<[string, Record<string, string>, string]>([
    ["nobody knows", { ENRICHMENT_PROVIDERS: "clearbit" }, "Enrichment provider clearbit not found."],
    ["lacks its key", { ENRICHMENT_PROVIDERS: "hunter" }, "The enrichment provider hunter requires an API key."],
    ["lacks its URL", { ENRICHMENT_PROVIDERS: "reacher" }, "requires the URL of your Reacher server"],
    ["has settings but is off", { ENRICHMENT_SPEND_CAPS: "pdl=1" }, "pdl has settings but is not enabled"],
    [
      "is allowed a network that is none",
      { ENRICHMENT_PROVIDERS: "gravatar", ALLOW_PRIVATE_HOSTS: "10.0.0.0/99" },
      "allow-private-hosts: Expected a host",
    ],
    [
      "is described in no file",
      { ENRICHMENT_PROVIDERS: "acme", ENRICHMENT_VENDORS: "/nowhere.toml" },
      "Could not read the enrichment vendors",
    ],
  ])("do not start with one that %s", async (_name, env, message) => {
    await expect(providersOf(env)).rejects.toThrow(message);
  });

  test.each([
    ["ENRICHMENT_URLS", "hunter=ftp://x"],
    ["ENRICHMENT_URLS", "hunter"],
    ["ENRICHMENT_TIMEOUTS", "hunter=0"],
    ["ENRICHMENT_SPEND_CAPS", "hunter=1,hunter=2"],
  ])("%s=%s is refused", async (name, value) => {
    await expect(providersOf({ [name]: value })).rejects.toThrow(`OUTREACHD_${name}`);
  });

  test("may be vendors of one's own, whose secret is in the environment", async () => {
    await using directory = await createDirectory();
    const file = `${directory.path}/vendors.toml`;
    await Bun.write(file, mappedVendorFile("https://acme.example"));
    const env = { ENRICHMENT_PROVIDERS: "acme", ENRICHMENT_VENDORS: file };
    await expect(providersOf(env)).rejects.toThrow("requires the environment variable ACME_KEY");
    process.env["ACME_KEY"] = "secret";
    try {
      expect(await shown(env)).toEqual([["acme", 15, null]]);
    } finally {
      delete process.env["ACME_KEY"];
    }
  });
});

describe("a file of vendors", () => {
  const valid = mappedVendorFile("https://acme.example");

  test.each<[string, string, string]>([
    ["is no TOML", "[[vendor", ""],
    ["describes none", "", "vendor"],
    ["has a field that is none", valid.replace("title =", "salary ="), `unknown field "salary"`],
    ["needs what nobody knows", valid.replace(`"email",`, `"age",`), `unknown requirement "age"`],
    ["has an option that is none", valid.replace("spends = 2", "cost = 2"), "vendor.0.cost"],
    ["has a URL that is none", valid.replace("https://", "ftp://"), "vendor.0.url"],
    ["lets a lead choose the host", valid.replace("https://acme.example", "https://{domain}"), "vendor.0.url"],
    ["has a name for two", valid.replace(`name = "acme"`, `name = "local,acme"`), "vendor.0.name"],
  ])("that %s is refused", (_name, toml, message) => {
    expect(() => readVendorMappings(toml)).toThrow(message);
  });
});
