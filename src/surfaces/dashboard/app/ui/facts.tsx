import type { ComponentChildren } from "preact";
import { Fragment } from "preact";

export type Fact = [name: string, value: ComponentChildren];

/** Names and values. Empty values are omitted. */
export function Facts({ facts, isCard = false }: { facts: readonly Fact[]; isCard?: boolean }) {
  return (
    <dl class={isCard ? "facts card" : "facts"}>
      {facts
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}
