import { expect } from "bun:test";
import type { SessionView } from "../../src/features/workspaces/sessions/model.ts";
import type { Service } from "./service.ts";

/** A browser that signs in to the dashboard by an issuer. */

export const publicUrl = "https://outreach.example.com";

export type Left = { location: URL; cookie: string };

/** A browser that leaves for the issuer; tests carry its cookie. */
export async function leave({ url }: Service): Promise<Left> {
  const response = await fetch(`${url}/app/oidc`, { redirect: "manual" });
  expect(response.status).toBe(303);
  const cookie = response.headers.getSetCookie()[0] ?? "";
  expect(cookie).toMatch(
    /^__Host-outreachd_pending_[0-9a-f]{8}=[\w-]{100,}; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax; Secure$/,
  );
  return { location: new URL(response.headers.get("location") ?? ""), cookie: cookie.split(";")[0] ?? "" };
}

/** Where the issuer sends the browser. */
export async function agree({ location }: Left): Promise<URL> {
  const response = await fetch(location, { redirect: "manual" });
  return new URL(response.headers.get("location") ?? "");
}

export type Returned = { problem: string | null; session: string | null };

export async function comeBack({ url }: Service, answered: URL, cookie: string): Promise<Returned> {
  expect(answered.origin + answered.pathname).toBe(`${publicUrl}/app/oidc/callback`);
  const response = await fetch(`${url}/app/oidc/callback${answered.search}`, {
    redirect: "manual",
    headers: { cookie, "sec-fetch-site": "cross-site" },
  });
  expect(response.status).toBe(303);
  const location = new URL(response.headers.get("location") ?? "");
  const session = response.headers.getSetCookie().find((each) => each.startsWith("__Host-outreachd_session"));
  expect(location.pathname).toBe(session === undefined ? "/app/sign-in" : "/app");
  return { problem: location.searchParams.get("problem"), session: session?.split(";")[0] ?? null };
}

/** Signs in by an issuer that asks nothing. */
export async function signIn(service: Service): Promise<Returned> {
  const left = await leave(service);
  return comeBack(service, await agree(left), left.cookie);
}

export async function sessionOf({ url }: Service, cookie: string | null): Promise<SessionView> {
  const response = await fetch(`${url}/app/session`, { headers: { cookie: cookie ?? "" } });
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: SessionView }).data;
}
