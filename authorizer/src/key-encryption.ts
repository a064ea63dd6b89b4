import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { StartFault } from '@boxoffice/runtime';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What an operator does whose KEY_ENCRYPTION_KEY is gone; `where` says what to restore. */
export const wayOut = (where: string): string =>
  `restore ${where}; if it is lost for good, put a new one there and run npm run operator -- keys rotate --compromised`;

/** KEY_ENCRYPTION_KEY does not open the stored signing keys. */
export class WrongKeyEncryptionKey extends StartFault {
  override readonly name = 'WrongKeyEncryptionKey';
  constructor(where = 'the setting') {
    super(`KEY_ENCRYPTION_KEY: is not the one that the stored signing keys are encrypted under: ${wayOut(where)}`);
  }
}

/** The AES-256 key that follows from KEY_ENCRYPTION_KEY, whatever text that is. */
export const encryptionKey = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'boxoffice', 'signing keys at rest', 32));

/** Encrypts a private key; `name` is bound to it, so that one sealed key cannot be put in another's place. */
export const seal = (key: Buffer, name: string, plain: Buffer): string => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
};

/** Decrypts what `seal` made. @throws {WrongKeyEncryptionKey} if the key is another one or the text was changed. */
export const unseal = (key: Buffer, name: string, sealed: string): Buffer => {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(name))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    throw new WrongKeyEncryptionKey();
  }
};
