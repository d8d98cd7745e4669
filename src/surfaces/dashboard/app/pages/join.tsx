import { useEffect, useState } from "preact/hooks";
import type { AcceptedInvitation, InvitationPreview } from "../../../../features/workspaces/invitations/model.ts";
import { api, RequestError, sessionApi } from "../api.ts";
import { basePath } from "../base-path.ts";
import { Link, urlOf } from "../router.tsx";
import { session } from "../session.ts";
import { roleLabels } from "../team.ts";
import { Button } from "../ui/button.tsx";
import { CopyText } from "../ui/copy.tsx";
import { FormError, TextField, useForm } from "../ui/form.tsx";
import { Skeleton } from "../ui/states.tsx";
import { showError } from "../ui/toast.tsx";
import { SignInForm } from "./sign-in.tsx";

/** For people who follow the link of an invitation, whose token is in the URL fragment. */
export function JoinPage() {
  const [token] = useState(() => location.hash.slice(1));
  const [preview, setPreview] = useState<InvitationPreview | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [accepted, setAccepted] = useState<AcceptedInvitation | null>(null);

  useEffect(() => {
    // First, remove the token from the address bar and the history.
    history.replaceState(null, "", location.pathname);
    sessionApi
      .previewInvitation(token)
      .then(setPreview)
      .catch((error: unknown) => setProblem(error instanceof RequestError ? error.message : String(error)));
  }, [token]);

  return (
    <main class="sign-in">
      <div class="card">
        <img src={`${basePath}/app/assets/icon.svg`} alt="" width="40" height="40" />
        {problem !== null && (
          <>
            <h1>This invitation can’t be used</h1>
            <p role="alert">{problem}</p>
            <p>
              <Link to="/">Sign in with a key</Link>
            </p>
          </>
        )}
        {problem === null && preview === null && <Skeleton lines={3} />}
        {preview !== null && accepted === null && (
          <>
            <h1>Join {workspaceTitle(preview.workspace.name)}</h1>
            <p>
              {preview.invitedBy ?? "An administrator"} invites {preview.email} as{" "}
              {roleLabels[preview.role].label.toLowerCase()}.
            </p>
            {preview.hasAccount ? (
              <JoinAsUser preview={preview} token={token} onJoined={setAccepted} />
            ) : (
              <JoinAsNewcomer token={token} onJoined={setAccepted} />
            )}
          </>
        )}
        {accepted !== null && <FirstKey accepted={accepted} />}
      </div>
    </main>
  );
}

/** Until a workspace gets a name, it has that of its owner, or the owner's address if the owner has no name either. */
const workspaceTitle = (name: string) => (name.includes("@") ? `the workspace of ${name}` : name);

type JoinProps = { token: string; onJoined: (accepted: AcceptedInvitation) => void };

function JoinAsNewcomer({ token, onJoined }: JoinProps) {
  const form = useForm({ name: "" }, async ({ name }) => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    onJoined(await sessionApi.acceptInvitation({ token, name: name.trim() || null, timeZone }));
  });
  return (
    <form onSubmit={form.onSubmit}>
      <FormError form={form} />
      <TextField form={form} name="name" label="Your name" maxLength={200} autocomplete="name" autofocus isOptional />
      <Button kind="primary" type="submit" isBusy={form.isBusy}>
        Join
      </Button>
    </form>
  );
}

/** Having the link does not prove who someone is: a user joins with a key of their own. */
function JoinAsUser({ preview: { email }, token, onJoined }: JoinProps & { preview: InvitationPreview }) {
  const form = useForm({}, async () => onJoined(await api.post<AcceptedInvitation>("/invitations/join", { token })));
  const user = session.value?.user;
  if (user === undefined)
    return (
      <>
        <p>You already have an account here. Sign in to join.</p>
        <SignInForm hasOtherWays={false} />
      </>
    );
  const isOther = user.email.toLowerCase() !== email.toLowerCase();
  return (
    <form onSubmit={form.onSubmit}>
      <FormError form={form} />
      {isOther && (
        <p class="notice warn">
          You are signed in as {user.email}. If that is not you, sign out and open the link again.
        </p>
      )}
      <Button kind="primary" type="submit" isBusy={form.isBusy}>
        Join as {user.name ?? user.email}
      </Button>
    </form>
  );
}

/** Shows the new key, once, and goes on with it. */
function FirstKey({ accepted: { workspace, key } }: { accepted: AcceptedInvitation }) {
  const [isOpening, setIsOpening] = useState(false);
  async function open() {
    setIsOpening(true);
    try {
      await sessionApi.signIn({ key: key.key });
      // Loads the page again, so that nothing of another workspace is shown.
      location.assign(urlOf("/welcome"));
    } catch (error) {
      showError(error);
      setIsOpening(false);
    }
  }
  return (
    <>
      <h1>Welcome to {workspace.name}</h1>
      <p>This is your API key. Store it: you sign in with it, and it can’t be shown again.</p>
      <CopyText label="API key" text={key.key} />
      <Button kind="primary" isBusy={isOpening} onClick={() => void open()}>
        Open outreachd
      </Button>
    </>
  );
}
