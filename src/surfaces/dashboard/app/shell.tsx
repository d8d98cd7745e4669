import { useEffect, useState } from "preact/hooks";
import { sessionApi } from "./api.ts";
import { basePath } from "./base-path.ts";
import { isConnected } from "./connection.ts";
import { CurrentPage } from "./current-page.tsx";
import { followEvents } from "./events.ts";
import { pages } from "./pages.ts";
import { JoinPage } from "./pages/join.tsx";
import { SignInForm, SignInPage } from "./pages/sign-in.tsx";
import { here, Link, urlOf } from "./router.tsx";
import { can, session, sessionState, signedIn } from "./session.ts";
import { NotificationBell } from "./notification-bell.tsx";
import { Panels } from "./palette/panels.tsx";
import { useGlobalShortcuts } from "./global-shortcuts.ts";
import { commandKey, openPanel } from "./shortcuts.ts";
import { StatusBanner } from "./status-banner.tsx";
import { SimulationBar } from "./simulation.tsx";
import { chooseTheme, theme, themes } from "./theme-choice.ts";
import { Button } from "./ui/button.tsx";
import { Dialog } from "./ui/dialog.tsx";
import { Icon } from "./ui/icons.tsx";
import { UnreadCount } from "./unread.tsx";
import { WorkspaceSwitcher } from "./workspace-switcher.tsx";
import { Skeleton } from "./ui/states.tsx";
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
        {/* As in index.html. */}
        <p class="starting-brand">
          <img src={`${basePath}/app/assets/icon.svg`} alt="" width="24" height="24" />
          outreachd
        </p>
        <Skeleton lines={4} />
      </main>
    );
  if (here.value.path === "/join") return <JoinPage />;
  if (state === "signedOut" || here.value.path === "/sign-in") return <SignInPage />;
  return <SignedIn isExpired={state === "expired"} />;
}

function SignedIn({ isExpired }: { isExpired: boolean }) {
  useGlobalShortcuts();
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
      <Panels />
      {isExpired && (
        <Dialog title="Sign in again" onClose={() => {}}>
          <p>Your session has ended. Your work is still open; sign in to continue.</p>
          <SignInForm />
        </Dialog>
      )}
    </div>
  );
}

function Navigation() {
  const [isOpen, setIsOpen] = useState(false);
  const { path } = here.value;
  useEffect(() => setIsOpen(false), [path]);
  const entries = pages.filter(({ icon, permission }) => icon !== undefined && can(permission));
  return (
    <header class={`navigation ${isOpen ? "open" : ""}`}>
      <div class="brand">
        <Link to="/">
          <img src={`${basePath}/app/assets/icon.svg`} alt="" width="24" height="24" />
          outreachd
        </Link>
        <span class="brand-buttons">
          <NotificationBell />
          <Button
            kind="quiet"
            class="menu-button"
            icon={isOpen ? "close" : "menu"}
            aria-label="Menu"
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => setIsOpen(!isOpen)}
          />
        </span>
      </div>
      <div id="navigation" class="navigation-body">
        <div class="navigation-top">
          <WorkspaceSwitcher />
          <button type="button" class="search-button" onClick={() => (openPanel.value = "palette")}>
            <Icon name="prospects" />
            <span>Search</span>
            <kbd>{commandKey}K</kbd>
          </button>
        </div>
        <nav aria-label="Pages">
          <ul>
            {entries.map(({ path: to, title, icon }) => (
              <li key={to}>
                <Link to={to} aria-current={isWithin(path, to) ? "page" : undefined}>
                  {icon && <Icon name={icon} />}
                  {title}
                  {to === "/inbox" && <UnreadCount />}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <Account />
      </div>
    </header>
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
      location.assign(urlOf("/"));
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
        <a href={`${basePath}/docs/guides`} target="_blank" rel="noreferrer">
          Docs
        </a>
        <button type="button" class="link" onClick={() => (openPanel.value = "help")}>
          Shortcuts
        </button>
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
