import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openPage, testInBrowser } from "../support/browser.ts";
import { startIssuer } from "../support/openid-issuer.ts";
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

testInBrowser("signing in by OpenID Connect opens the dashboard, and a refusal says why", async () => {
  await using issuer = await startIssuer();
  await using directory = await createDirectory();
  const port = await freePort();
  await using server = await startServer(`${directory.path}/data`, {
    args: ["--listen", `127.0.0.1:${port}`],
    env: {
      OUTREACHD_PUBLIC_URL: `http://127.0.0.1:${port}`,
      OUTREACHD_OIDC_ISSUER: issuer.url,
      OUTREACHD_OIDC_CLIENT_ID: issuer.clientId,
      OUTREACHD_OIDC_CLIENT_SECRET: issuer.clientSecret,
      OUTREACHD_OIDC_NAME: "Example ID",
      OUTREACHD_OIDC_DOMAINS: "example.com",
      OUTREACHD_OIDC_ROLE: "member",
    },
  });
  await using opened = await openPage(server.url);
  const { page, problems } = opened;
  issuer.is({ sub: "mallory", email: "mallory@example.net", email_verified: true });
  await page.getByRole("link", { name: "Sign in with Example ID" }).click();
  await page.getByText("Addresses of this domain can’t sign in here.").waitFor();
  expect(await findings(page)).toEqual([]);
  issuer.is({ sub: "ada", email: "ada@example.com", email_verified: true, name: "Ada Lovelace" });
  await page.getByRole("link", { name: "Sign in with Example ID" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  await page.getByText("Ada Lovelace").first().waitFor();
  // The page itself asks nothing of other hosts; the browser leaves for the issuer twice.
  expect(problems.map((problem) => new URL(problem.replace("request to ", "")).pathname)).toEqual([
    "/authorize",
    "/authorize",
  ]);
});

async function freePort(): Promise<number> {
  const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = taken;
  await taken.stop(true);
  return port!;
}
