const tables = new Map<string, Map<string, number[]>>();

/** A text in an encoding of one or two bytes a character, made by reading its tables backwards. */
export function encoded(text: string, encoding: string): Uint8Array {
  if (encoding === "utf-8") return new TextEncoder().encode(text);
  const table = tableOf(encoding);
  return Uint8Array.from(
    Array.from(text).flatMap((character) => {
      const bytes = table.get(character);
      if (bytes === undefined) throw new Error(`${encoding} has no ${character}`);
      return bytes;
    }),
  );
}

function tableOf(encoding: string): Map<string, number[]> {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, number[]>();
  const note = (bytes: number[]) => {
    const character = decoder.decode(Uint8Array.from(bytes));
    if (Array.from(character).length === 1 && character !== "\ufffd" && !table.has(character))
      table.set(character, bytes);
  };
  for (let byte = 0; byte < 256; byte++) note([byte]);
  for (let first = 0x81; first < 255; first++) for (let second = 0x40; second < 255; second++) note([first, second]);
  tables.set(encoding, table);
  return table;
}
