import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explain, getErrorCode, StartFault } from './settings/start-fault.ts';

/** Undefined if there is none. @throws {StartFault} if it cannot be read */
export function readStoredSecret(directory: string, file: string): string | undefined {
  const path = join(directory, file);
  try {
    const stored = readFileSync(path, 'utf8').trim();
    if (stored === '') throw new StartFault(`the secret in ${path} is empty; remove the file or restore it`);
    return stored;
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error instanceof StartFault ? error : new StartFault(`${path} cannot be read: ${explain(error)}`);
  }
}

/** 256 random bits in hexadecimal, mode 0600. Two processes that start at once get the same. @throws {StartFault} */
export function storeSecret(directory: string, file: string): string {
  const stored = readStoredSecret(directory, file);
  if (stored !== undefined) return stored;
  const path = join(directory, file);
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true });
    // A link fails where a rename would replace the secret that another process has just created.
    linkSync(draft, path);
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw new StartFault(`${path} cannot be written: ${explain(error)}`);
  } finally {
    rmSync(draft, { force: true });
  }
  return readStoredSecret(directory, file) ?? storeSecret(directory, file);
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256, derived for one purpose; keys for other purposes are independent (RFC 5869). */
export function deriveSealingKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'boxoffice', purpose, 32));
}

/** Encrypts a private key; `name` is authenticated with it, so that one sealed key cannot replace another. */
export function seal(key: Buffer, name: string, plain: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Decrypts the result of `seal`; undefined if the key or the name is another one, or the text was changed. */
export function unseal(key: Buffer, name: string, sealed: string): Buffer | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(name))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
