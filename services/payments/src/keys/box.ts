import { createHmac } from 'node:crypto';
import { deriveSealingKey, seal, unseal } from '@boxoffice/runtime';

export type KeyBox = ReturnType<typeof createKeyBox>;

export function createKeyBox(keyEncryptionKey: string) {
  const key = deriveSealingKey(keyEncryptionKey, 'keys of payment providers at rest');
  const names = deriveSealingKey(keyEncryptionKey, 'names of buyers at payment providers');
  return {
    seal: (id: string, member: string, secret: string): string => seal(key, `${id}.${member}`, Buffer.from(secret)),
    /** The same for the same buyer, and none that tells who he is. */
    hide: (institution: string, buyer: string): string =>
      createHmac('sha256', names).update(`${institution} ${buyer}`).digest('base64url'),
    /** Undefined if it was encrypted under another key. */
    open: (id: string, member: string, sealed: string | null): string | undefined =>
      sealed === null ? undefined : unseal(key, `${id}.${member}`, sealed)?.toString(),
  };
}
