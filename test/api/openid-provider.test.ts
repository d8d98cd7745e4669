import { afterAll, expect, test } from "bun:test";
import { comeBack, leave, publicUrl, sessionOf } from "../support/openid-browser.ts";
import { ProviderBrowser, startProvider } from "../support/openid-provider.ts";
import { startService, type Service } from "../support/service.ts";

/** Signing in by an implementation that is not ours. What a hostile issuer does is in openid.test.ts. */

const provider = await startProvider({ redirectUri: `${publicUrl}/app/oidc/callback`, domain: "example.com" });
afterAll(() => provider[Symbol.asyncDispose]());

const settings = {
  PUBLIC_URL: publicUrl,
  OIDC_ISSUER: provider.url,
  OIDC_CLIENT_ID: provider.clientId,
  OIDC_CLIENT_SECRET: provider.clientSecret,
};

async function signInAs(name: string, service: Service, browser = new ProviderBrowser()) {
  const left = await leave(service);
  const answered = await browser.signIn(left.location, name);
  return { ...(await comeBack(service, answered, left.cookie)), answered, left };
}

test("a user signs in on the pages of the provider, and later without being asked", async () => {
  await using service = await startService({ settings });
  const { userId } = await service.user({ email: "ada@example.com" });
  const browser = new ProviderBrowser();
  const first = await signInAs("ada", service, browser);
  expect(first.problem).toBeNull();
  expect(first.answered.searchParams.get("iss")).toBe(provider.url);
  expect((await sessionOf(service, first.session)).user.id).toBe(userId);
  expect(browser.prompts).toEqual(["login", "consent"]);
  const second = await signInAs("ada", service, browser);
  expect((await sessionOf(service, second.session)).user.id).toBe(userId);
  expect(browser.prompts).toEqual(["login", "consent"]);
});

test("the provider does not exchange a code twice, or for another browser", async () => {
  await using service = await startService({ settings });
  await service.user({ email: "grace@example.com" });
  const { answered, left, problem } = await signInAs("grace", service);
  expect(problem).toBeNull();
  expect((await comeBack(service, answered, left.cookie)).problem).toBe("rejected");
  const other = await leave(service);
  const stolen = await new ProviderBrowser().signIn((await leave(service)).location, "grace");
  expect((await comeBack(service, stolen, other.cookie)).problem).toBe("rejected");
});

test("a new person of an allowed domain becomes a member, one of another domain does not", async () => {
  await using allowed = await startService({
    settings: { ...settings, OIDC_ROLE: "viewer", OIDC_DOMAINS: "example.com" },
  });
  const { session } = await signInAs("linus", allowed);
  expect(await sessionOf(allowed, session)).toMatchObject({
    user: { email: "linus@example.com", name: "Name of linus" },
    workspace: { role: "viewer" },
  });
  await using other = await startService({
    settings: { ...settings, OIDC_ROLE: "viewer", OIDC_DOMAINS: "example.org" },
  });
  expect(await signInAs("linus", other)).toMatchObject({ problem: "domain", session: null });
});

test("with a wrong secret, nobody signs in", async () => {
  await using service = await startService({ settings: { ...settings, OIDC_CLIENT_SECRET: "wrong" } });
  await service.user({ email: "ada@example.com" });
  expect(await signInAs("ada", service)).toMatchObject({ problem: "rejected", session: null });
});
