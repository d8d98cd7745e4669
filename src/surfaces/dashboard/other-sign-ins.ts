import type { SessionParts } from "../../app/surfaces.ts";
import { MailLinkInput, type PendingSignIn, type SignInProblem } from "../../features/workspaces/sign-in/model.ts";
import { body, readJson } from "../../platform/http/input.ts";
import { requestCost, tooManyRequests } from "../../platform/http/rate-limit.ts";
import { ok, type RequestContext } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { sealed, unsealed } from "../../platform/http/sealing.ts";
import { isSecureRequest } from "../../platform/http/session-cookie.ts";
import { ownPageOnly } from "./own-page.ts";

const maxInputBytes = 1024;
const mailInput = body(MailLinkInput)["~standard"];

/** Enough for a password, a second factor, and a call to find it. */
const pendingSeconds = 15 * 60;

type Pending = PendingSignIn & { until: number };

/**
 * Sign-in by OpenID Connect, and by links in mail. What a browser has to return with is encrypted in its cookie, with a key that all nodes derive
 * from the client secret: any node can continue, and nothing is stored for people who never return.
 */
export function otherSignIns({
  signIn,
  operations,
  cookies,
  audit,
  limiter,
  clock,
  publicUrl,
  trustedProxies,
  openId,
}: SessionParts) {
  const redirectUri = `${publicUrl ?? ""}/app/oidc/callback`;
  const isSecure = (request: Request) => isSecureRequest(request, publicUrl, trustedProxies);
  const key = new Bun.CryptoHasher("sha256", openId?.clientSecret ?? "").update("pending sign-in").digest();

  /** Sends the browser to the issuer. */
  async function begin(context: RequestContext): Promise<Response> {
    limit(context);
    const begun = await signIn.begin(redirectUri);
    if (typeof begun === "string") return problemPage(begun);
    const pending: Pending = { ...begun.pending, until: clock.now() + pendingSeconds * 1000 };
    const value = Buffer.from(sealed(key, JSON.stringify(pending))).toString("base64url");
    return redirect(begun.url, cookies.pendingHeader(value, pendingSeconds, isSecure(context.request)));
  }

  /** The issuer sends the browser back here. */
  async function callback(context: RequestContext): Promise<Response> {
    const { request, origin } = context;
    limit(context);
    // The cookie serves once, whatever comes of it.
    const forget = cookies.pendingHeader("", 0, isSecure(request));
    const pending = pendingIn(request);
    if (pending === null) return problemPage("expired", forget);
    const answered = new URL(redirectUri);
    answered.search = new URL(request.url).search;
    const mayChange = operations.writeRefusal === null;
    const signedIn = await signIn.finish(answered, pending, origin, mayChange);
    if (typeof signedIn === "string") {
      await audit.note(null, { action: "session.refused", workspaceId: null, origin, details: { problem: signedIn } });
      return problemPage(signedIn, forget);
    }
    const { token, expiresAt, caller } = signedIn;
    const target = { type: "key", id: caller.keyId };
    await audit.note(caller, { action: "session.signedIn", workspaceId: caller.workspaceId, target, origin });
    const maxAgeSeconds = Math.ceil((expiresAt - clock.now()) / 1000);
    return redirect(`${publicUrl}/app`, forget, cookies.header(token, maxAgeSeconds, isSecure(request)));
  }

  /** Answers the same whether the address is that of a user or not, and as fast. */
  async function mailLink(context: RequestContext) {
    limit(context);
    const { value } = mailInput.validate(await readJson(context, maxInputBytes));
    signIn.requestLink(value.email);
    return ok({});
  }

  function pendingIn(request: Request): Pending | null {
    const value = cookies.pendingIn(request, isSecure(request));
    const text = value === null ? null : unsealed(key, Buffer.from(value, "base64url"));
    const pending = text === null ? null : (JSON.parse(text) as Pending); // Sealed by us.
    return pending !== null && pending.until > clock.now() ? pending : null;
  }

  /** Both requests cost a request to the issuer. */
  function limit({ set, address }: RequestContext): void {
    const verdict = limiter.takeFromStranger(address, requestCost.full);
    if (verdict.isAllowed) return;
    Object.assign(set.headers, verdict.headers);
    throw tooManyRequests(verdict, clock);
  }

  const problemPage = (problem: SignInProblem, ...cookiesToSet: string[]) =>
    redirect(`${publicUrl ?? ""}/app/sign-in?problem=${problem}`, ...cookiesToSet);

  const fromOwnPage = ownPageOnly(publicUrl);
  return routes("/app")
    .get(
      "/sign-in-methods",
      fromOwnPage(() => ok(signIn.methods)),
      {},
    )
    .post("/sign-in-mail", fromOwnPage(mailLink), {})
    .get("/oidc", (context) => begin(context), {})
    .get("/oidc/callback", (context) => callback(context), {});
}

function redirect(location: string, ...cookiesToSet: string[]): Response {
  const headers = new Headers({ location });
  for (const cookie of cookiesToSet) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}
