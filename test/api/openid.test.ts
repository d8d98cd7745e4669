import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { IdentityView } from "../../src/features/workspaces/sign-in/model.ts";
import { agree, comeBack, leave, publicUrl, sessionOf, signIn } from "../support/openid-browser.ts";
import { startIssuer, type Claims, type Misconduct } from "../support/openid-issuer.ts";
import { startService, succeeded, type Service } from "../support/service.ts";

const issuer = await startIssuer();
afterAll(() => issuer[Symbol.asyncDispose]());

const settings = {
  PUBLIC_URL: publicUrl,
  OIDC_ISSUER: issuer.url,
  OIDC_CLIENT_ID: issuer.clientId,
  OIDC_CLIENT_SECRET: issuer.clientSecret,
  OIDC_NAME: "Example ID",
};

let subjects = 0;
/** A person whom only the issuer knows. */
function stranger(email: string, more: Claims = {}): Claims {
  return { sub: `subject-${++subjects}`, email, email_verified: true, name: "Ada Lovelace", ...more };
}

describe("people who are users", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ settings });
  });
  afterAll(() => service[Symbol.asyncDispose]());
  afterEach(() => {
    issuer.down = false;
  });

  async function userWithAddress(): Promise<{ email: string; userId: string }> {
    const email = `${crypto.randomUUID()}@example.com`;
    return { email, userId: (await service.user({ email })).userId };
  }

  test("the sign-in page learns of the issuer", async () => {
    const response = await fetch(`${service.url}/app/sign-in-methods`);
    expect(await response.json()).toEqual({
      success: true,
      data: { openId: { name: "Example ID" }, isMailAvailable: false },
    });
  });

  test("sign in by their verified address, with the rights of their role", async () => {
    const { email, userId } = await userWithAddress();
    issuer.is(stranger(email.toUpperCase()));
    const { session } = await signIn(service);
    const view = await sessionOf(service, session);
    expect(view.user.id).toBe(userId);
    expect(view.workspace).toMatchObject({ id: userId, role: "owner" });
    const audit = await service.admin.get<{ entries: { action: string; actorId: string }[] }>("/api/v2/audit");
    const actions = succeeded(audit).data.entries.filter((each) => each.actorId === userId || each.actorId === null);
    expect(actions.map(({ action }) => action)).toContain("identity.linked");
    expect(actions.map(({ action }) => action)).toContain("session.signedIn");
  });

  test("are the same user after their address changed at the issuer, and after a restart in between", async () => {
    const { email, userId } = await userWithAddress();
    const person = stranger(email);
    issuer.is(person);
    await signIn(service);
    issuer.is({ ...person, email: `${crypto.randomUUID()}@example.com` });
    const left = await leave(service);
    await service.restart();
    const { session } = await comeBack(service, await agree(left), left.cookie);
    expect((await sessionOf(service, session)).user.id).toBe(userId);
  });

  test("are not replaced by someone who gets their address later, until an admin removes the identity", async () => {
    const { email, userId } = await userWithAddress();
    issuer.is(stranger(email));
    await signIn(service);
    issuer.is(stranger(email));
    expect(await signIn(service)).toEqual({ problem: "taken", session: null });
    const path = `/api/v2/users/${userId}/identities`;
    const listed = succeeded(await service.admin.get<{ identities: IdentityView[] }>(path)).data.identities;
    expect(listed).toMatchObject([{ issuer: issuer.url, email }]);
    succeeded(await service.admin.delete(`${path}/${listed[0]?.id}`));
    expect((await service.admin.delete(`${path}/${listed[0]?.id}`)).status).toBe(404);
    expect((await signIn(service)).problem).toBeNull();
  });

  test("may have their address in the userinfo only", async () => {
    const { email, userId } = await userWithAddress();
    issuer.is({ sub: "quiet" }, { email, email_verified: true });
    expect((await sessionOf(service, (await signIn(service)).session)).user.id).toBe(userId);
  });

  test("do not sign in once they are deactivated", async () => {
    const { email, userId } = await userWithAddress();
    issuer.is(stranger(email));
    expect((await signIn(service)).problem).toBeNull();
    succeeded(await service.admin.put(`/api/v2/users/${userId}`, { isActive: false }));
    expect(await signIn(service)).toEqual({ problem: "deactivated", session: null });
  });

  test.each<[string, Claims, string]>([
    ["without an address", { email: null, email_verified: null }, "noAddress"],
    ["whose address is not verified", { email_verified: false }, "unverified"],
    ["whose address may be unverified", { email_verified: null }, "unverified"],
    ["whom nobody invited", {}, "unknown"],
  ])("a person %s does not sign in", async (_who, claims, problem) => {
    issuer.is(stranger(`${crypto.randomUUID()}@example.com`, claims));
    expect(await signIn(service)).toEqual({ problem, session: null });
  });

  const now = () => Math.floor(Date.now() / 1000);
  test.each<[string, () => Misconduct]>([
    ["signed with another key", () => ({ wrongKey: true })],
    ["that is not signed", () => ({ algorithm: "none" })],
    ["signed with the secret of the client", () => ({ algorithm: "HS256" })],
    ["of an earlier sign-in", () => ({ claims: { nonce: "of another one" } })],
    ["for another client", () => ({ claims: { aud: "another" } })],
    ["for several clients, given to another", () => ({ claims: { aud: ["outreachd", "another"], azp: "another" } })],
    ["without an end", () => ({ claims: { exp: null } })],
    ["without a person", () => ({ claims: { sub: null } })],
    ["of another issuer", () => ({ claims: { iss: "https://id.example.net" } })],
    ["that expired ten minutes ago", () => ({ claims: { iat: now() - 900, exp: now() - 600 } })],
    ["that holds in ten minutes only", () => ({ claims: { nbf: now() + 600, iat: now() + 600, exp: now() + 900 } })],
    ["in a response that names another issuer", () => ({ redirect: { iss: "https://id.example.net" } })],
    ["in a response that names none", () => ({ redirect: { iss: "" } })],
    ["with another state", () => ({ redirect: { state: "another" } })],
  ])("a token %s signs nobody in", async (_what, misconduct) => {
    const { email } = await userWithAddress();
    issuer.is(stranger(email));
    issuer.misbehave(misconduct());
    expect(await signIn(service)).toEqual({ problem: "rejected", session: null });
  });

  test("clocks may differ by half a minute", async () => {
    const { email } = await userWithAddress();
    issuer.is(stranger(email));
    issuer.misbehave({ claims: { iat: now() - 330, exp: now() - 30 } });
    expect((await signIn(service)).problem).toBeNull();
  });

  test("a response counts once, and only in the browser that asked for it", async () => {
    const { email } = await userWithAddress();
    issuer.is(stranger(email));
    const left = await leave(service);
    const other = await leave(service);
    const answered = await agree(left);
    expect((await comeBack(service, answered, "")).problem).toBe("expired");
    expect((await comeBack(service, answered, other.cookie)).problem).toBe("rejected");
    expect((await comeBack(service, answered, left.cookie)).problem).toBeNull();
    // Somebody copied both the address and the cookie: the issuer exchanges a code once.
    expect((await comeBack(service, answered, left.cookie)).problem).toBe("rejected");
  });

  test("a cookie that was changed is as good as none", async () => {
    const left = await leave(service);
    const changed = left.cookie.slice(0, -2) + (left.cookie.endsWith("AA") ? "BB" : "AA");
    expect((await comeBack(service, await agree(left), changed)).problem).toBe("expired");
  });

  test("a person who says no is told so", async () => {
    const left = await leave(service);
    const state = left.location.searchParams.get("state") ?? "";
    const query = new URLSearchParams({ error: "access_denied", state, iss: issuer.url });
    const returned = await comeBack(service, new URL(`${publicUrl}/app/oidc/callback?${query}`), left.cookie);
    expect(returned).toEqual({ problem: "canceled", session: null });
  });

  test("an issuer that fails is reported as such", async () => {
    issuer.is(stranger("ada@example.com"));
    issuer.misbehave({ tokenStatus: 503 });
    expect(await signIn(service)).toEqual({ problem: "unavailable", session: null });
  });
});

test("an issuer whose responses do not name it is believed, unless they name another one", async () => {
  await using silent = await startIssuer({ namesItself: false });
  await using service = await startService({ settings: { ...settings, OIDC_ISSUER: silent.url } });
  const email = "ada@example.com";
  await service.user({ email });
  silent.is(stranger(email));
  expect((await signIn(service)).problem).toBeNull();
  // A response of another issuer, whose code was meant for that one.
  silent.misbehave({ redirect: { iss: issuer.url } });
  expect(await signIn(service)).toEqual({ problem: "rejected", session: null });
  expect(silent.exchanges).toHaveLength(1);
  silent.misbehave({ claims: { iss: issuer.url } });
  expect(await signIn(service)).toEqual({ problem: "rejected", session: null });
});

test("an issuer that was down when the server started is used as soon as it is back", async () => {
  await using service = await startService({ settings });
  issuer.down = true;
  const response = await fetch(`${service.url}/app/oidc`, { redirect: "manual" });
  expect(response.headers.get("location")).toBe(`${publicUrl}/app/sign-in?problem=unavailable`);
  issuer.down = false;
  expect((await leave(service)).location.origin).toBe(issuer.url);
});

test("new people become members with the configured role, if their domain is allowed", async () => {
  await using service = await startService({
    settings: { ...settings, OIDC_ROLE: "viewer", OIDC_DOMAINS: "example.com, Example.org" },
  });
  issuer.is(stranger("grace@evil.example.net"));
  expect(await signIn(service)).toEqual({ problem: "domain", session: null });
  issuer.is(stranger("grace@example.org", { name: "Grace\u0007 Hopper" }));
  const [one, two] = await Promise.all([signIn(service), signIn(service)]);
  const view = await sessionOf(service, one.session);
  expect(view).toMatchObject({
    user: { email: "grace@example.org", name: "Grace Hopper", role: "member" },
    workspace: { id: service.admin.userId, role: "viewer" },
    isAdmin: false,
  });
  expect((await sessionOf(service, two.session)).user.id).toBe(view.user.id);
});

test("an issuer that never says whether it checked addresses can be trusted", async () => {
  await using service = await startService({ settings: { ...settings, OIDC_TRUST_ADDRESSES: "true" } });
  const email = "ada@example.com";
  await service.user({ email });
  issuer.is(stranger(email, { email_verified: null }));
  expect((await signIn(service)).problem).toBeNull();
  issuer.is(stranger(email, { email_verified: false }));
  expect((await signIn(service)).problem).toBe("unverified");
});

test("without an issuer, nobody is sent anywhere", async () => {
  await using service = await startService();
  expect(await (await fetch(`${service.url}/app/sign-in-methods`)).json()).toMatchObject({ data: { openId: null } });
  const response = await fetch(`${service.url}/app/oidc`, { redirect: "manual" });
  expect(response.headers.get("location")).toBe("/app/sign-in?problem=unavailable");
});
