import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openPage, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";

afterAll(closeBrowser);

testInBrowser("the first sign-in link works once and leaves no token behind", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await using first = await openPage(server.signInUrl ?? "");
  await first.page.getByRole("navigation", { name: "Pages" }).waitFor();
  expect(first.page.url()).not.toContain("#");
  const [cookie] = await first.page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  await first.page.reload();
  await first.page.getByText("admin@localhost").waitFor();

  await using second = await openPage(server.signInUrl ?? "");
  await second.page.getByText("was already used").waitFor();
  expect([first.problems, second.problems]).toEqual([[], []]);
});

testInBrowser("signing in with an API key opens the requested page; signing out ends the session", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await using opened = await openPage(`${server.url}/app/nowhere`);
  const { page, problems } = opened;
  await page.getByLabel("API key").fill("oak_wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Check that it was copied completely.").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByLabel("API key").fill(server.firstRun?.key ?? "");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").waitFor();
  expect(await page.context().cookies()).toEqual([]);
  expect(problems).toEqual([]);
});
