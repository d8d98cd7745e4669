import type { ComponentChildren } from "preact";
import { Link } from "../router.tsx";
import { Icon } from "./icons.tsx";

type PageProps = {
  title: string;
  /** One line on the purpose or the status of the page. */
  lead?: ComponentChildren;
  /** Parent page, and the entry of the history where it was left. */
  back?: { to: string; label: string; like?: string | undefined };
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** The frame of every page: heading, actions, content. */
export function PageFrame({ title, lead, back, actions, children }: PageProps) {
  return (
    <div class="page">
      {back && (
        <Link to={back.to} like={back.like} class="back">
          <Icon name="left" />
          {back.label}
        </Link>
      )}
      <header class="page-head">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {lead !== undefined && <p class="faint">{lead}</p>}
        </div>
        {actions !== undefined && <div class="buttons">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A section of a page, with a heading. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="section">
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}
