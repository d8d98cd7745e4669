import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icons.tsx";

export type ButtonKind = "plain" | "primary" | "danger" | "quiet";

type ButtonProps = {
  kind?: ButtonKind;
  icon?: IconName;
  /** The action is running: shows a spinner and ignores clicks. */
  isBusy?: boolean;
  children?: ComponentChildren;
} & Omit<JSX.IntrinsicElements["button"], "icon">;

export function Button({ kind = "plain", icon, isBusy = false, children, disabled, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`button ${kind} ${children === undefined ? "only-icon" : ""}`}
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
