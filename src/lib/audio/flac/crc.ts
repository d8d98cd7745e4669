/** CRC-8 of frame headers, polynomial x^8 + x^2 + x + 1 (RFC 9639, section 9.1.8). */
export function crc8(bytes: Uint8Array, start: number, end: number): number {
  let crc = 0;
  for (let i = start; i < end; i++) crc = table8[crc ^ bytes[i]!]!;
  return crc;
}

/** CRC-16 of whole frames, polynomial x^16 + x^15 + x^2 + 1 (RFC 9639, section 9.3). */
export function crc16(bytes: Uint8Array, start: number, end: number): number {
  let crc = 0;
  for (let i = start; i < end; i++) crc = ((crc << 8) & 0xffff) ^ table16[(crc >> 8) ^ bytes[i]!]!;
  return crc;
}

const table8 = Uint8Array.from({ length: 256 }, (_, byte) => remainder(byte, 0x07, 8));
const table16 = Uint16Array.from({ length: 256 }, (_, byte) => remainder(byte << 8, 0x8005, 16));

function remainder(start: number, polynomial: number, bits: number): number {
  const top = 1 << (bits - 1);
  let value = start;
  for (let bit = 0; bit < 8; bit++) value = value & top ? ((value << 1) ^ polynomial) & (top * 2 - 1) : value << 1;
  return value;
}
