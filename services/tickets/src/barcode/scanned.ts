/** The symbology that a hand scanner may put before the text, such as `]Q1` for a QR code (ISO/IEC 15424). */
const SYMBOLOGY = /^\][A-Za-z][0-9A-Za-z]/;

/**
 * The text of a barcode in what a scanner sends: without white space, CR and LF around it and without its symbology. No
 * barcode of a ticket begins or ends with such characters.
 */
export const scannedText = (scanned: string): string => scanned.trim().replace(SYMBOLOGY, '').trim();
