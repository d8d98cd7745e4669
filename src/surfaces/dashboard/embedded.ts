import type { Asset } from "./asset.ts";

/** The built pages. The build of the executable replaces this file; null when running from source. */
export const embedded: Asset[] | null = null;
