import type { ComponentChildren } from "preact";
import type { RequestError } from "../api.ts";
import type { Resource } from "../resource.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icons.tsx";

/** What stands in the place of a list that has nothing, with the way to the first thing in it. */
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

/** A request that failed: what went wrong, and a way to try again. */
export function ErrorState({ error, retry }: { error: RequestError; retry?: () => void }) {
  return (
    <div class="notice danger" role="alert">
      <Icon name="warning" />
      <div>
        <p>{error.message}</p>
        {error.requestId !== null && error.status >= 500 && (
          <p class="faint">
            See the server log, request ID <code>{error.requestId}</code>.
          </p>
        )}
      </div>
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

/** Grey lines in the shape of what will come. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

/** Shows `children` of what was loaded; until then its outline, and an error in its place or above it. */
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
