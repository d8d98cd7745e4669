import { useEffect, useRef, useState } from "preact/hooks";
import { sessionApi } from "./api.ts";
import { isConnected } from "./connection.ts";
import { followEvents } from "./events.ts";
import { pages, type Page } from "./pages.ts";
import { JoinPage } from "./pages/join.tsx";
import { SignInForm, SignInPage } from "./pages/sign-in.tsx";
import { here, Link, match } from "./router.tsx";
import { can, session, sessionState, signedIn } from "./session.ts";
import { StatusBanner } from "./status-banner.tsx";
import { SimulationBar } from "./simulation.tsx";
import { chooseTheme, theme, themes } from "./theme-choice.ts";
import { Button } from "./ui/button.tsx";
import { Dialog } from "./ui/dialog.tsx";
import { Icon } from "./ui/icons.tsx";
import { WorkspaceSwitcher } from "./workspace-switcher.tsx";
import { PageFrame } from "./ui/page.tsx";
import { EmptyState, Skeleton } from "./ui/states.tsx";
import { showError, Toasts } from "./ui/toast.tsx";

/** The whole screen. Its content depends on the session. */
export function Shell() {
  useEffect(() => void begin(), []);
  useEffect(() => {
    if (sessionState.value === "signedIn") void followEvents();
  }, [sessionState.value]);
  return (
    <>
      <ConnectionBanner />
      <Screen />
      <Toasts />
    </>
  );
}

/** Repeats the first request until the server responds: without it there is nothing to show. */
async function begin(): Promise<void> {
  for (;;)
    try {
      const view = await sessionApi.current();
      if (view === null) sessionState.value = "signedOut";
      else signedIn(view);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
}

function Screen() {
  const state = sessionState.value;
  if (state === "loading")
    return (
      <main class="starting">
        <Skeleton lines={4} />
      </main>
    );
  if (here.value.path === "/join") return <JoinPage />;
  if (state === "signedOut" || here.value.path === "/sign-in") return <SignInPage />;
  return (
    <div class="shell">
      <a class="skip-link" href="#content">
        Skip to content
      </a>
      <Navigation />
      <main id="content">
        <StatusBanner />
        <SimulationBar />
        <CurrentPage />
      </main>
      {state === "expired" && (
        <Dialog title="Sign in again" onClose={() => {}}>
          <p>Your session has ended. Your work is still open; sign in to continue.</p>
          <SignInForm />
        </Dialog>
      )}
    </div>
  );
}

function CurrentPage() {
  const { path } = here.value;
  const frame = useRef<HTMLDivElement>(null);
  const found = pages.flatMap((page) => {
    const params = match(page.path, path);
    return params === null ? [] : [{ page, params }];
  })[0];
  const isFirst = useRef(true);

  useEffect(() => {
    document.title = found === undefined || found.page.path === "/" ? "outreachd" : `${found.page.title} · outreachd`;
    // Focus makes screen readers announce the new page. The browser announces the first one.
    if (!isFirst.current) frame.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);

  return <div ref={frame}>{found === undefined ? <PageNotFound /> : <Permitted key={path} {...found} />}</div>;
}

function Permitted({ page, params }: { page: Page; params: Record<string, string> }) {
  if (can(page.permission)) return <page.component params={params} />;
  return (
    <PageFrame title={page.title}>
      <EmptyState icon="warning" title="Permission required">
        <p>
          This page requires the permission <code>{page.permission}</code>. The creator of your key can add it.
        </p>
      </EmptyState>
    </PageFrame>
  );
}

function PageNotFound() {
  return (
    <PageFrame title="Page not found">
      <EmptyState icon="prospects" title="This page doesn’t exist">
        <p>
          The URL may be mistyped, or the page no longer exists. <Link to="/">Go to Home</Link>.
        </p>
      </EmptyState>
    </PageFrame>
  );
}

function Navigation() {
  const [isOpen, setIsOpen] = useState(false);
  const { path } = here.value;
  useEffect(() => setIsOpen(false), [path]);
  const entries = pages.filter(({ icon, permission }) => icon !== undefined && can(permission));
  return (
    <div class={`navigation ${isOpen ? "open" : ""}`}>
      <div class="brand">
        <Link to="/">
          <img src="/app/assets/icon.svg" alt="" width="24" height="24" />
          outreachd
        </Link>
        <Button
          kind="quiet"
          icon={isOpen ? "close" : "menu"}
          aria-label="Menu"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setIsOpen(!isOpen)}
        />
      </div>
      <div id="navigation" class="navigation-body">
        <WorkspaceSwitcher />
        <nav aria-label="Pages">
          <ul>
            {entries.map(({ path: to, title, icon }) => (
              <li key={to}>
                <Link to={to} aria-current={isWithin(path, to) ? "page" : undefined}>
                  {icon && <Icon name={icon} />}
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <Account />
      </div>
    </div>
  );
}

function isWithin(path: string, entry: string): boolean {
  return path === entry || (entry !== "/" && path.startsWith(`${entry}/`));
}

function Account() {
  const view = session.value;
  async function signOut() {
    try {
      await sessionApi.signOut();
      // Reloads the page, so that no data of this user stays in memory.
      location.assign("/");
    } catch (error) {
      showError(error);
    }
  }
  return (
    <div class="account">
      <label>
        <span class="faint">Theme</span>
        <select
          value={theme.value}
          onChange={(event) => {
            const chosen = themes.find((name) => name === event.currentTarget.value);
            if (chosen !== undefined) chooseTheme(chosen);
          }}
        >
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      <p class="who" title={`Signed in with the key "${view?.key.name}"`}>
        <strong>{view?.user.name ?? view?.user.email}</strong>
        {view?.user.name && <span class="faint">{view.user.email}</span>}
      </p>
      <div class="account-links">
        <a href="/docs" target="_blank" rel="noreferrer">
          API docs
        </a>
        <button type="button" class="link" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
      <p class="faint version">outreachd {view?.version}</p>
    </div>
  );
}

/** Stays mounted, so that screen readers announce changes of the text. */
function ConnectionBanner() {
  return (
    <div class="connection" role="status">
      {!isConnected.value && (
        <p>
          <span class="spinner" aria-hidden="true" />
          The server is not responding. This page reconnects automatically.
        </p>
      )}
    </div>
  );
}
