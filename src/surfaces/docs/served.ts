import { relinked, type Document } from "./documents.ts";
import { imageUrlBelow } from "./page.ts";

/** Everything that the routes serve, in one module that is loaded with the first request. */
export { documentNamed } from "./documents.ts";
export { images } from "./images.ts";
export { llmsText } from "./llms.ts";
export { documentPage, missingPage } from "./page.ts";
export { styles } from "./styles.ts";

/** The Markdown of a document; its links lead to the Markdown of other documents. */
export function markdownOf(document: Document, basePath: string): string {
  return relinked(document, (name) => `${basePath}/docs/${name}.md`, imageUrlBelow(basePath));
}
