import type { Asset } from "./asset.ts";

/** The built pages. The build of the executable puts them in the place of this file; from source they are null. */
export const embedded: Asset[] | null = null;
