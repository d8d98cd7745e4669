import { expect, test } from "bun:test";
import { configurationPath, withReference } from "../../.ci/configuration.ts";
import { serverOptions } from "../../src/app/config/options.ts";
import { flagName } from "../../src/app/config/sources.ts";

test("the configuration reference is what the option table generates", async () => {
  const written = await Bun.file(configurationPath).text();
  expect(written).toBe(withReference(written));
  for (const [key, option] of Object.entries(serverOptions)) expect(written).toContain(`| \`${flagName(key, option)} `);
});
