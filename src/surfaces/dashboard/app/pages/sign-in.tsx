import { useEffect, useState } from "preact/hooks";
import { RequestError, sessionApi } from "../api.ts";
import { here, navigate } from "../router.tsx";
import { signedIn } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { FormError, TextField, useForm } from "../ui/form.tsx";

/** Shown on every path to users without a session. A sign-in link has its token in the URL fragment. */
export function SignInPage() {
  const [token] = useState(() => (here.value.path === "/sign-in" ? location.hash.slice(1) : ""));
  const [linkError, setLinkError] = useState<string | null>(null);
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
        <img src="/app/assets/icon.svg" alt="" width="40" height="40" />
        <h1>Sign in to outreachd</h1>
        {isOpening ? <p class="faint">Signing in…</p> : <SignInForm problem={linkError} />}
      </div>
    </main>
  );
}

/** Also shown in a dialog when the session ends while the user is working. */
export function SignInForm({ problem = null }: { problem?: string | null }) {
  const form = useForm({ key: "" }, async ({ key }) => {
    const view = await sessionApi.signIn({ key: key.trim() });
    signedIn(view);
    if (here.value.path === "/sign-in") navigate("/", { replace: true });
  });
  return (
    <form onSubmit={form.onSubmit}>
      <FormError form={{ error: form.error ?? problem }} />
      <TextField
        form={form}
        name="key"
        label="API key"
        type="password"
        autocomplete="current-password"
        placeholder="oak_…"
        spellcheck={false}
        autofocus
        required
        hint={
          <>
            No key? On the server, run <code>outreachd user link EMAIL</code> to create a sign-in link.
          </>
        }
      />
      <Button kind="primary" type="submit" isBusy={form.isBusy}>
        Sign in
      </Button>
    </form>
  );
}
