import type { ComponentType } from "preact";
import type { PageProps } from "./page-props.ts";

type PageComponent = ComponentType<PageProps>;

/** A page whose code is loaded when it is first needed, so that the first screen loads little. */
export type LazyPage = {
  /** Loads the code; safe to call again. A failed attempt is not remembered. */
  load(): Promise<PageComponent>;
  /** The component, if it is loaded. */
  loaded(): PageComponent | null;
};

export function lazyPage(importPage: () => Promise<PageComponent>): LazyPage {
  let component: PageComponent | null = null;
  let loading: Promise<PageComponent> | null = null;
  async function load(): Promise<PageComponent> {
    try {
      component = await importPage();
      return component;
    } catch (error) {
      loading = null;
      throw error;
    }
  }
  return { load: () => (loading ??= load()), loaded: () => component };
}
