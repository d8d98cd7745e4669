import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icons.tsx";

export type ButtonKind = "plain" | "primary" | "danger" | "quiet";

type ButtonProps = {
  kind?: ButtonKind;
  icon?: IconName;
  /** The action is running: shows a spinner and ignores clicks. */
  isBusy?: boolean;
  children?: ComponentChildren;
  class?: string;
} & Omit<JSX.IntrinsicElements["button"], "icon" | "class">;

export function Button({
  kind = "plain",
  icon,
  isBusy = false,
  children,
  disabled,
  onClick,
  class: extra,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`button ${kind} ${children === undefined ? "only-icon" : ""} ${extra ?? ""}`}
      disabled={disabled}
      // Not `disabled`, which would take away the keyboard focus.
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {isBusy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}
