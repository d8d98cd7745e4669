import { decodeHTMLAttribute } from "entities";
import { parseJson } from "../../../platform/base/text.ts";
import { textAt, valueAt } from "../json-path.ts";

/** What the home page of a company says about it, in JSON-LD (schema.org), OpenGraph, and plain meta elements. */
export type CompanyPage = {
  name: string | null;
  description: string | null;
  industry: string | null;
  size: string | null;
  founded: string | null;
  headquarters: string | null;
};

/** Maximum JSON-LD read from a page. Some shops put their whole catalog there. */
const maxJsonLdBytes = 512 * 1024;

/** Reads an HTML page. Missing values are null. */
export async function readCompanyPage(html: Uint8Array): Promise<CompanyPage> {
  const meta = new Map<string, string>();
  const blocks: string[] = [];
  let bytes = 0;
  const rewriter = new HTMLRewriter()
    .on("meta", {
      element(element) {
        const name = (element.getAttribute("property") ?? element.getAttribute("name") ?? "").toLowerCase();
        const content = element.getAttribute("content")?.trim();
        if (name !== "" && content && !meta.has(name)) meta.set(name, content);
      },
    })
    .on('script[type="application/ld+json"]', {
      element: () => void blocks.push(""),
      text({ text }) {
        bytes += text.length;
        if (bytes <= maxJsonLdBytes && blocks.length > 0) blocks[blocks.length - 1] += text;
      },
    });
  await rewriter.transform(new Response(html as Uint8Array<ArrayBuffer>)).arrayBuffer();
  const organization = blocks.flatMap(nodesIn).find(isOrganization);
  const text = (path: string) => textAt(organization, path);
  return {
    name: text("name") ?? text("legalName") ?? decoded(meta.get("og:site_name")),
    description: text("description") ?? decoded(meta.get("og:description") ?? meta.get("description")),
    industry: text("industry") ?? text("knowsAbout"),
    size: sizeOf(organization),
    founded: text("foundingDate"),
    headquarters: addressOf(organization),
  };
}

/** Returns all objects of a block: one, a list, or a graph. */
function nodesIn(block: string): unknown[] {
  try {
    const json = parseJson(block);
    return [json, valueAt(json, "@graph")].flat();
  } catch {
    return [];
  }
}

const organizationTypes =
  /^(https?:\/\/schema\.org\/)?(\w*Organization|Corporation|LocalBusiness|\w*Business|NGO|OnlineStore)$/;

function isOrganization(node: unknown): boolean {
  return [valueAt(node, "@type")].flat().some((type) => typeof type === "string" && organizationTypes.test(type));
}

/** Returns the number of employees, or a range. */
function sizeOf(organization: unknown): string | null {
  const path = "numberOfEmployees";
  const exact = textAt(organization, path) ?? textAt(organization, `${path}.value`);
  if (exact !== null) return exact;
  const [min, max] = [textAt(organization, `${path}.minValue`), textAt(organization, `${path}.maxValue`)];
  if (min === null) return max;
  return max === null ? `${min}+` : `${min}-${max}`;
}

function addressOf(organization: unknown): string | null {
  const address = [valueAt(organization, "address")].flat()[0];
  if (typeof address === "string") return address.trim() || null;
  const parts = ["addressLocality", "addressRegion", "addressCountry", "addressCountry.name"];
  return (
    parts
      .map((part) => textAt(address, part))
      .filter((part) => part !== null)
      .join(", ") || null
  );
}

/** Attributes are not decoded by the parser. JSON-LD needs no decoding. */
function decoded(text: string | undefined): string | null {
  if (text === undefined) return null;
  return decodeHTMLAttribute(text);
}
