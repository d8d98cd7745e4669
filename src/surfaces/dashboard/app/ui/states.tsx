import type { ComponentChildren } from "preact";
import type { RequestError } from "../api.ts";
import type { Resource } from "../resource.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icons.tsx";

/** Shown instead of an empty list, with a way to create the first entry. */
export function EmptyState({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A failed request: the error, and a button to try again. */
export function ErrorState({ error, retry }: { error: RequestError; retry?: () => void }) {
  return (
    <div class="notice danger" role="alert">
      <Icon name="warning" />
      <div>
        <p>{error.message}</p>
        {error.requestId !== null && error.status >= 500 && (
          <p class="faint">
            Details are in the server log. Request ID: <code>{error.requestId}</code>.
          </p>
        )}
      </div>
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

/** Gray placeholder lines. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

/** Renders `children` with the loaded data, placeholders until then, and an error above or instead of it. */
export function Loaded<T>({
  resource,
  lines,
  children,
}: {
  resource: Resource<T>;
  lines?: number;
  children: (data: T) => ComponentChildren;
}) {
  const { data, error, reload } = resource;
  return (
    <>
      {error && <ErrorState error={error} retry={reload} />}
      {data !== undefined ? children(data) : error === null && <Skeleton {...(lines !== undefined && { lines })} />}
    </>
  );
}
