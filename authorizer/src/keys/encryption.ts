import { StartFault, sealingKey, unseal } from '@boxoffice/runtime';

/** What an operator does after losing KEY_ENCRYPTION_KEY; `where` names what to restore. */
export const recoverySteps = (where: string): string =>
  `restore ${where}; if it is lost for good, put a new one there and run npm run operator -- keys rotate --compromised`;

/** KEY_ENCRYPTION_KEY does not decrypt the stored signing keys. */
export class WrongKeyEncryptionKey extends StartFault {
  override readonly name = 'WrongKeyEncryptionKey';
  constructor(where = 'the setting') {
    super(
      `KEY_ENCRYPTION_KEY: is not the one that the stored signing keys are encrypted under: ${recoverySteps(where)}`,
    );
  }
}

/** The encryption key derived from KEY_ENCRYPTION_KEY. */
export const encryptionKey = (secret: string): Buffer => sealingKey(secret, 'signing keys at rest');

/**
 * Decrypts a stored signing key.
 * @throws {WrongKeyEncryptionKey} if the secret is another one or the ciphertext was changed
 */
export const openSigningKey = (key: Buffer, kid: string, sealed: string): Buffer => {
  const opened = unseal(key, kid, sealed);
  if (!opened) throw new WrongKeyEncryptionKey();
  return opened;
};
