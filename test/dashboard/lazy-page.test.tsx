import { expect, test } from "bun:test";
import { lazyPage } from "../../src/surfaces/dashboard/app/lazy-page.ts";

const Page = () => <h1>Page</h1>;

test("the code of a page is loaded once, also if it is needed in two places at the same time", async () => {
  let imports = 0;
  const page = lazyPage(async () => {
    imports += 1;
    return Page;
  });
  expect(page.loaded()).toBeNull();
  await Promise.all([page.load(), page.load()]);
  await page.load();
  expect(imports).toBe(1);
  expect(page.loaded()).toBe(Page);
});

test("a failed attempt is repeated", async () => {
  let isDown = true;
  const page = lazyPage(async () => {
    if (isDown) throw new TypeError("Failed to fetch dynamically imported module");
    return Page;
  });
  expect(page.load()).rejects.toThrow("Failed to fetch");
  await page.load().catch(() => {});
  expect(page.loaded()).toBeNull();
  isDown = false;
  expect(await page.load()).toBe(Page);
});
