import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openPage, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";

afterAll(closeBrowser);

testInBrowser(
  "the guides are readable in light and dark, on a phone, and without a request to another host",
  async () => {
    await using directory = await createDirectory();
    await using server = await startServer(`${directory.path}/data`);
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [1440, 360]) {
        await using opened = await openPage(`${server.url}/docs/configuration`, {
          colorScheme,
          viewport: { width, height: 800 },
        });
        const { page, problems } = opened;
        for (const name of ["configuration", "guides", "changelog", "nothing"]) {
          await page.goto(`${server.url}/docs/${name}`);
          expect({ name, colorScheme, width, found: await findings(page) }).toMatchObject({ found: [] });
          // Wide tables and code scroll by themselves, not the page.
          const hidden = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          expect({ name, width, hidden }).toEqual({ name, width, hidden: 0 });
        }
        expect(problems).toEqual([]);
      }
  },
);

testInBrowser("one goes from the API reference to a guide, and to a section of it", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await using opened = await openPage(`${server.url}/docs`, { viewport: { width: 1440, height: 800 } });
  const { page, problems } = opened;
  await page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "Guides" }).click();
  await page.getByRole("navigation", { name: "Guides" }).getByRole("link", { name: "Campaigns" }).click();
  await page.getByRole("heading", { name: "Campaigns", level: 1 }).waitFor();
  await page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "Results" }).click();
  expect(new URL(page.url()).hash).toBe("#results");
  // The viewer of the reference tries to evaluate code, which its policy forbids.
  expect(problems.filter((problem) => !/eval .*scalar\.js/.test(problem))).toEqual([]);
});
