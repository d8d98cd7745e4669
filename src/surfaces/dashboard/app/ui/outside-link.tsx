import type { ComponentChildren } from "preact";
import { Icon } from "./icons.tsx";

type OutsideLinkProps = {
  /** Often from untrusted data. */
  href: string;
  children: ComponentChildren;
  class?: string;
  isPlain?: boolean;
};

/**
 * A link to another site, which opens in a new tab. URLs that are not http(s), such as `javascript:…`, are shown as
 * text.
 */
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

/** Parses text such as "example.com" as a URL; null unless it is http(s). */
export function webAddress(text: string): string | null {
  const trimmed = text.trim();
  const candidate = /^[\w-]+(\.[\w-]+)+(\/|$)/.test(trimmed) ? `https://${trimmed}` : trimmed;
  if (!URL.canParse(candidate)) return null;
  const { protocol, href } = new URL(candidate);
  return protocol === "https:" || protocol === "http:" ? href : null;
}
