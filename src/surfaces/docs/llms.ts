import { documents, type Document } from "./documents.ts";

/** A guide to the documentation for language models, in the form of https://llmstxt.org. `base`: URL of the server. */
export function llmsText(base: string): string {
  const [readme] = documents;
  // The first paragraph of the README says in a sentence what the product is, and then what it does.
  const paragraph = (readme?.source ?? "").split(/\n{2,}/)[1] ?? "";
  const [summary = "", rest = ""] = withoutMarks(paragraph).split(/(?<=yourself\.) /);
  const link = ({ name, title, summary: about }: Document) =>
    `- [${title}](${base}/docs/${name}.md)${about === "" ? "" : `: ${about}`}`;
  const guides = documents.filter(({ isGuide, path }) => isGuide || path === "README.md");
  const others = documents.filter((document) => !guides.includes(document));
  return `# outreachd

> ${summary}

${rest}

Send an API key in the header \`x-api-key\`. Errors have a \`code\` for programs and a \`message\` that says what to do.

## Guides

${guides.map(link).join("\n")}

## API

- [OpenAPI document](${base}/openapi.json): every operation with its fields, examples, and errors
- [MCP endpoint](${base}/mcp): the API as tools for assistants, with an API key

## Optional

${others.map(link).join("\n")}
`;
}

function withoutMarks(text: string): string {
  return text
    .replaceAll("**", "")
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1")
    .replaceAll("\n", " ");
}
