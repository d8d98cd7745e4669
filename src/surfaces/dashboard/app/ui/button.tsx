import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icons.tsx";

export type ButtonKind = "plain" | "primary" | "danger" | "quiet";

type ButtonProps = {
  kind?: ButtonKind;
  icon?: IconName;
  /** Something runs because of it; it stays in its place and takes no second click. */
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
      // Not `disabled`: that would take the keyboard's focus away from whoever pressed it.
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {isBusy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}
