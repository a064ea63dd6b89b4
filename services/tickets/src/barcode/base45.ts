const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';

/** Base45 (RFC 9285): two bytes are three characters of QR's alphanumeric set, a last single byte is two. */
export function encodeBase45(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 2) {
    const pair = bytes.subarray(at, at + 2);
    let rest = pair.reduce((sum, byte) => sum * 256 + byte, 0);
    for (let digits = pair.length + 1; digits > 0; digits -= 1) {
      text += ALPHABET[rest % 45];
      rest = Math.floor(rest / 45);
    }
  }
  return text;
}

/** The bytes of a Base45 text; undefined if it is not one. */
export function decodeBase45(text: string): Uint8Array | undefined {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at += 3) {
    const digits = [...text.slice(at, at + 3)].map((character) => ALPHABET.indexOf(character));
    const value = digits.reduceRight((sum, digit) => sum * 45 + digit, 0);
    const size = digits.length - 1;
    if (size === 0 || digits.includes(-1) || value >= 256 ** size) return undefined;
    if (size === 2) bytes.push(value >> 8);
    bytes.push(value & 255);
  }
  return Uint8Array.from(bytes);
}
