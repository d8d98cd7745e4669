import { SaxesParser } from "saxes";
import { damaged, tooLarge, WorkbookError } from "./workbook-error.ts";

export type XmlHandlers = {
  /** Names come without their namespace prefix, attributes as written. */
  open?: (name: string, attributes: Record<string, string>) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
};

/** Bytes of a single text or tag. A parser holds it in memory as a whole. */
const longestNode = 2 * 2 ** 20;
/** Elements within each other: a parser holds all that are open. Workbooks need about ten. */
const deepest = 256;
/** Of a part that is held in memory as a whole. */
const largestPart = 16 * 2 ** 20;

/** Parses the XML of a part piece by piece, in memory that does not grow with the part. Throws WorkbookError. */
export class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: false, position: false });
  readonly #part: string;
  #decoder: TextDecoder | null = null;
  #bytesSinceNode = 0;
  #depth = 0;

  constructor(part: string, { open, close, text }: XmlHandlers) {
    this.#part = part;
    this.#parser.on("opentag", ({ name, attributes }) => {
      this.#bytesSinceNode = 0;
      if (++this.#depth > deepest) throw damaged(`the part ${part} has elements nested too deeply.`);
      open?.(localName(name), attributes);
    });
    this.#parser.on("closetag", ({ name }) => {
      this.#bytesSinceNode = 0;
      this.#depth--;
      close?.(localName(name));
    });
    if (text !== undefined) {
      this.#parser.on("text", text);
      this.#parser.on("cdata", text);
    }
    this.#parser.on("doctype", () => {
      throw damaged(`the part ${part} has a document type declaration, which workbooks never have.`);
    });
    this.#parser.on("error", (error) => {
      throw damaged(`the part ${part} is not valid XML.`, error);
    });
  }

  write(bytes: Uint8Array): void {
    this.#bytesSinceNode += bytes.length;
    if (this.#bytesSinceNode > longestNode) throw tooLarge("The workbook has a cell of more than 2 MB.");
    this.#decoder ??= decoderFor(bytes);
    this.#parse(() => this.#parser.write(this.#decoder!.decode(bytes, { stream: true })));
  }

  close(): void {
    this.#parse(() => {
      this.#parser.write(this.#decoder?.decode() ?? "");
      this.#parser.close();
    });
  }

  #parse(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (error instanceof WorkbookError) throw error;
      throw damaged(`the part ${this.#part} is not valid XML.`, error);
    }
  }
}

/** Parses a whole part. `maxBytes`: above 16 MB only for handlers that limit what they keep. */
export async function readXml(
  part: string,
  bytes: AsyncIterable<Uint8Array>,
  handlers: XmlHandlers,
  maxBytes = largestPart,
): Promise<void> {
  const reader = new XmlReader(part, handlers);
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    if (length > maxBytes) throw tooLarge(`The part ${part} of the workbook has more than ${maxBytes / 2 ** 20} MB.`);
    reader.write(piece);
  }
  reader.close();
}

/** XML without a byte order mark is UTF-8 here: no program writes parts in another encoding. */
function decoderFor([first, second]: Uint8Array): TextDecoder {
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding, { fatal: true });
}

function localName(name: string): string {
  const at = name.indexOf(":");
  return at === -1 ? name : name.slice(at + 1);
}
