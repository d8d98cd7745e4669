import { useEffect, useRef, useState } from "preact/hooks";
import type { Page } from "./pages.ts";
import { pageAt } from "./preload.ts";
import { here, Link } from "./router.tsx";
import { can } from "./session.ts";
import { Button } from "./ui/button.tsx";
import { PageFrame } from "./ui/page.tsx";
import { EmptyState, Skeleton } from "./ui/states.tsx";

/** The page at the current path. */
export function CurrentPage() {
  const { path } = here.value;
  const frame = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  const found = pageAt(path);

  // Focus makes screen readers announce the new page. The browser announces the first one.
  const focusHeading = () => frame.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  useEffect(() => {
    document.title = found === null || found.page.path === "/" ? "outreachd" : `${found.page.title} · outreachd`;
    if (!isFirst.current) focusHeading();
    isFirst.current = false;
  }, [path]);

  return (
    <div ref={frame}>
      {found === null ? <PageNotFound /> : <Permitted key={path} {...found} onLoaded={focusHeading} />}
    </div>
  );
}

type PermittedProps = { page: Page; params: Record<string, string>; onLoaded: () => void };

function Permitted({ page, ...rest }: PermittedProps) {
  if (can(page.permission)) return <LoadedPage page={page} {...rest} />;
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

/** Shows the title of the page while its code is loaded. */
function LoadedPage({ page, params, onLoaded }: PermittedProps) {
  const lazy = page.component;
  const Component = lazy.loaded();
  const [state, setState] = useState<"waiting" | "shown" | "shownWithFocus" | "failed">("waiting");
  useEffect(() => {
    // Asked of the render: the code may have arrived since.
    if (Component !== null) return;
    lazy.load().then(
      // The page brings its own heading: a focus on the placeholder's must not get lost with it.
      () => setState(document.activeElement?.tagName === "H1" ? "shownWithFocus" : "shown"),
      () => setState("failed"),
    );
  }, [lazy]);
  useEffect(() => {
    if (state === "shownWithFocus") onLoaded();
  }, [state]);

  if (Component !== null) return <Component params={params} />;
  return (
    <PageFrame title={page.title}>
      {state === "failed" ? (
        <EmptyState icon="warning" title="This page could not be loaded">
          <p>The server was updated or is not responding. Reload to get the current version.</p>
          <Button kind="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        </EmptyState>
      ) : (
        <Skeleton lines={6} />
      )}
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
