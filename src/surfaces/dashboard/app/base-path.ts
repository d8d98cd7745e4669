/**
 * The path below which the server is reached, such as `/outreach`; "" if it has a host of its own. The files of the
 * dashboard are in `/app/assets` below it.
 */
export const basePath = /^(.*)\/app\/assets\//.exec(new URL(import.meta.url).pathname)?.[1] ?? "";
