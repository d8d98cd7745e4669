import type { ComponentChildren } from "preact";
import { Link } from "../router.tsx";
import { Icon } from "./icons.tsx";

type PageProps = {
  title: string;
  /** One line on what it is for, or where things stand. */
  lead?: ComponentChildren;
  /** The page above this one. */
  back?: { to: string; label: string };
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** The frame that all pages share: heading, what can be done here, content. */
export function PageFrame({ title, lead, back, actions, children }: PageProps) {
  return (
    <div class="page">
      {back && (
        <Link to={back.to} class="back">
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

/** A part of a page with a heading of its own. */
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
