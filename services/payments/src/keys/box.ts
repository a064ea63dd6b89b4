import { deriveSealingKey, seal, unseal } from '@boxoffice/runtime';

export type KeyBox = ReturnType<typeof createKeyBox>;

export function createKeyBox(keyEncryptionKey: string) {
  const key = deriveSealingKey(keyEncryptionKey, 'keys of payment providers at rest');
  return {
    seal: (id: string, member: string, secret: string): string => seal(key, `${id}.${member}`, Buffer.from(secret)),
    /** Undefined if it was encrypted under another key. */
    open: (id: string, member: string, sealed: string | null): string | undefined =>
      sealed === null ? undefined : unseal(key, `${id}.${member}`, sealed)?.toString(),
  };
}
