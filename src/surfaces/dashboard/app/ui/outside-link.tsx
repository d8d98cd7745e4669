import type { ComponentChildren } from "preact";
import { Icon } from "./icons.tsx";

type OutsideLinkProps = {
  /** Often from data that others wrote. */
  href: string;
  children: ComponentChildren;
  class?: string;
  isPlain?: boolean;
};

/** A link to another site in a new tab. What is no web address (`javascript:…`) is shown as text. */
export function OutsideLink({ href, children, class: name, isPlain = false }: OutsideLinkProps) {
  const url = webAddress(href);
  if (url === null) return <span>{children}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" class={name ?? "outside"}>
      {children}
      {!isPlain && <Icon name="external" />}
      <span class="visually-hidden"> (opens a new tab)</span>
    </a>
  );
}

/** The address that a person would mean by the text; null unless it is one of the web. */
export function webAddress(text: string): string | null {
  const trimmed = text.trim();
  const candidate = /^[\w-]+(\.[\w-]+)+(\/|$)/.test(trimmed) ? `https://${trimmed}` : trimmed;
  if (!URL.canParse(candidate)) return null;
  const { protocol, href } = new URL(candidate);
  return protocol === "https:" || protocol === "http:" ? href : null;
}
