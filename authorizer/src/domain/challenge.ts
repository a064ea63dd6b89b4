/** A challenge of S256 is 32 bytes in base64url (RFC 7636, 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Whether the text can be an S256 challenge. */
export const isChallenge = (text: string): boolean => CHALLENGE.test(text);
