import { documents, relinked, type Document } from "./documents.ts";

/** The HTML page of a document. `basePath` precedes all of its links. */
export function documentPage(document: Document, basePath: string): string {
  const markdown = relinked(document, (name) => `${basePath}/docs/${name}`, imageUrlBelow(basePath));
  const content = accessible(Bun.markdown.html(markdown, { headings: true }));
  return pageOf({ basePath, title: document.title, current: document, content });
}

/** What is wider than the page scrolls by itself, also from the keyboard. A column without a title has no header. */
function accessible(html: string): string {
  return html
    .replaceAll("<pre>", '<pre tabindex="0">')
    .replaceAll("<table>", '<div class="scroll" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll("<th></th>", "<td></td>");
}

/** For a page that does not exist. */
export function missingPage(basePath: string): string {
  const content = `<h1>Page not found</h1>\n<p>All guides are in the navigation. <a href="${basePath}/docs/guides">Getting started</a></p>`;
  return pageOf({ basePath, title: "Page not found", current: null, content });
}

export function imageUrlBelow(basePath: string): (name: string) => string {
  return (name) => `${basePath}/docs/images/${name}`;
}

type Page = { basePath: string; title: string; current: Document | null; content: string };

function pageOf({ basePath, title, current, content }: Page): string {
  const sections = sectionsOf(content);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${Bun.escapeHTML(title)} · outreachd</title>
<link rel="icon" href="${basePath}/app/assets/icon.svg">
<link rel="stylesheet" href="${basePath}/docs/docs.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${basePath}/docs/guides"><img src="${basePath}/app/assets/icon.svg" alt="" width="24" height="24">outreachd</a>
<nav aria-label="Documentation">
<a href="${basePath}/docs/guides" class="here">Guides</a>
<a href="${basePath}/docs">API reference</a>
<a href="${basePath}/app">Dashboard</a>
</nav>
</header>
<div class="columns">
<nav class="pages" aria-label="Guides">
<details><summary>All guides</summary>
${navigation(basePath, current)}
</details>
<div class="wide">
${navigation(basePath, current)}
</div>
</nav>
<main id="content" tabindex="-1">
${content}
${footer(basePath, current)}
</main>
${sections.length > 1 ? `<nav class="sections" aria-labelledby="on-this-page"><p id="on-this-page">On this page</p>\n${listOf(sections)}\n</nav>` : ""}
</div>
</body>
</html>
`;
}

function navigation(basePath: string, current: Document | null): string {
  const link = ({ name, title }: Document) =>
    `<li><a href="${basePath}/docs/${name}"${name === current?.name ? ' aria-current="page"' : ""}>${Bun.escapeHTML(title)}</a></li>`;
  const guides = documents.filter(({ isGuide, path }) => isGuide || path === "README.md");
  const others = documents.filter((document) => !guides.includes(document));
  return `<ul>\n${guides.map(link).join("\n")}\n</ul>\n<p>Project</p>\n<ul>\n${others.map(link).join("\n")}\n</ul>`;
}

/** Where one goes on reading, and the text for tools. */
function footer(basePath: string, current: Document | null): string {
  if (current === null) return "";
  const next = documents[documents.indexOf(current) + 1];
  const onward =
    next === undefined ? "" : `<a href="${basePath}/docs/${next.name}">Next: ${Bun.escapeHTML(next.title)}</a>\n`;
  return `<footer>\n${onward}<a href="${basePath}/docs/${current.name}.md">This page as Markdown</a>\n</footer>`;
}

type Section = { id: string; text: string };

function sectionsOf(content: string): Section[] {
  return [...content.matchAll(/<h2 id="([^"]+)"><a [^>]*>(.*?)<\/a><\/h2>/g)].map(([, id = "", text = ""]) => ({
    id,
    text: text.replaceAll(/<\/?a\b[^>]*>/g, ""),
  }));
}

function listOf(sections: readonly Section[]): string {
  return `<ul>\n${sections.map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`).join("\n")}\n</ul>`;
}
