/** Props that the router passes to a page: the parameters of its path. */
export type PageProps = { params: Record<string, string> };
