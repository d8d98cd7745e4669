import { useEffect, useState } from "preact/hooks";
import type { SignInMethods, SignInProblem } from "../../../../features/workspaces/sign-in/model.ts";
import { RequestError, sessionApi } from "../api.ts";
import { basePath } from "../base-path.ts";
import { here, navigate } from "../router.tsx";
import { signedIn } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { FormError, TextField, useForm } from "../ui/form.tsx";

/** Shown on every path to users without a session. A sign-in link has its token in the URL fragment. */
export function SignInPage() {
  const [token] = useState(() => (here.value.path === "/sign-in" ? location.hash.slice(1) : ""));
  const [linkError, setLinkError] = useState<string | null>(() => problemIn(here.value.query));
  const [isOpening, setIsOpening] = useState(token !== "");

  useEffect(() => {
    if (token === "") return;
    // First, remove the token from the address bar and the history.
    history.replaceState(null, "", location.pathname);
    sessionApi
      .signIn({ link: token })
      .then((view) => {
        signedIn(view);
        navigate(view.user.name === null ? "/welcome" : "/", { replace: true });
      })
      .catch((error: unknown) => {
        setLinkError(error instanceof RequestError ? error.message : String(error));
        setIsOpening(false);
      });
  }, [token]);

  return (
    <main class="sign-in" aria-busy={isOpening}>
      <div class="card">
        <img src={`${basePath}/app/assets/icon.svg`} alt="" width="40" height="40" />
        <h1>Sign in to outreachd</h1>
        {isOpening ? <p class="faint">Signing in…</p> : <SignInForm problem={linkError} />}
      </div>
    </main>
  );
}

const problemTexts: Record<SignInProblem, string> = {
  canceled: "Sign-in was canceled.",
  expired: "Sign-in took too long or was started in another browser. Try again.",
  unavailable: "The sign-in service can’t be reached. Try again in a moment, or sign in with an API key.",
  rejected:
    "The response of the sign-in service is not valid. Try again. If it happens again, ask your administrator: the reason is in the server’s log.",
  noAddress: "The sign-in service did not say your email address. Ask your administrator to release it to outreachd.",
  unverified: "Your email address is not verified at the sign-in service. Verify it there, then try again.",
  domain: "Addresses of this domain can’t sign in here. Use your work account.",
  unknown: "You are not a user of this server. Ask an owner or admin of a workspace to invite you.",
  full: "The workspace that you would join is full. Ask its owner to remove a member.",
  taken:
    "Your address belongs to a user who signs in with another account of the sign-in service. Ask an administrator to remove that identity.",
  deactivated: "An administrator deactivated your user.",
  noWorkspace: "You are not an active member of any workspace. Ask an owner or admin to invite you.",
  readOnly: "The server accepts no new users at the moment. Try again later.",
};

/** Why signing in elsewhere failed, as the server reports it in the URL. */
function problemIn(query: URLSearchParams): string | null {
  const problem = query.get("problem");
  return problem !== null && Object.hasOwn(problemTexts, problem) ? problemTexts[problem as SignInProblem] : null;
}

/** Also shown in a dialog when the session ends while the user is working. `hasOtherWays`: signing in may leave the page. */
export function SignInForm({
  problem = null,
  hasOtherWays = true,
}: {
  problem?: string | null;
  hasOtherWays?: boolean;
}) {
  const [methods, setMethods] = useState<SignInMethods>({ openId: null, isMailAvailable: false });
  useEffect(() => {
    // Without them, a key still signs in.
    if (hasOtherWays) void sessionApi.methods().then(setMethods, () => {});
  }, [hasOtherWays]);
  const form = useForm({ key: "" }, async ({ key }) => {
    const view = await sessionApi.signIn({ key: key.trim() });
    signedIn(view);
    if (here.value.path === "/sign-in") navigate("/", { replace: true });
  });
  const hasOther = methods.openId !== null || methods.isMailAvailable;
  return (
    <>
      <FormError form={{ error: form.error ?? problem }} />
      {methods.openId !== null && (
        <a class="button primary" href={`${basePath}/app/oidc`}>
          Sign in with {methods.openId.name}
        </a>
      )}
      {methods.isMailAvailable && <MailLinkForm isPrimary={methods.openId === null} />}
      {hasOther && <p class="divider faint">or with an API key</p>}
      <form onSubmit={form.onSubmit}>
        <TextField
          form={form}
          name="key"
          label="API key"
          type="password"
          autocomplete="current-password"
          placeholder="oak_…"
          spellcheck={false}
          autofocus={!hasOther}
          required
          hint={
            <>
              No key? On the server, run <code>outreachd user link EMAIL</code> to create a sign-in link.
            </>
          }
        />
        <Button kind={hasOther ? "plain" : "primary"} type="submit" isBusy={form.isBusy}>
          Sign in
        </Button>
      </form>
    </>
  );
}

/** Does not say whether the address is that of a user: nobody learns who is one. */
function MailLinkForm({ isPrimary }: { isPrimary: boolean }) {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useForm({ email: "" }, async ({ email }) => {
    await sessionApi.mailLink(email.trim());
    setSentTo(email.trim());
  });
  if (sentTo !== null)
    return <p role="status">If {sentTo} is a user here, a link to sign in is on its way. It works for an hour.</p>;
  return (
    <form onSubmit={form.onSubmit}>
      <FormError form={form} />
      <TextField form={form} name="email" label="Email" type="email" autocomplete="email" maxLength={254} required />
      <Button kind={isPrimary ? "primary" : "plain"} type="submit" isBusy={form.isBusy}>
        Email me a sign-in link
      </Button>
    </form>
  );
}
