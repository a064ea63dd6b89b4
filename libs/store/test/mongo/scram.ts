import { createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Binary } from 'mongodb';
import type { Command } from './proxy.ts';

const ITERATIONS = 4_096;

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const textIn = ({ payload }: Command): string => Buffer.from((payload as Binary).buffer).toString();

/**
 * The server's side of SCRAM-SHA-256 (RFC 5802, RFC 7677) for the user with this password, as answers to commands; it
 * believes every client. Conversations are told apart by their nonce.
 */
export const scramServer = (password: string) => {
  const conversations = new Map<string, string>();
  const salt = randomBytes(16);
  const serverKey = hmac(pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256'), 'Server Key');
  return (command: Command): object | undefined => {
    if ('saslStart' in command) {
      const bare = textIn(command).slice('n,,'.length);
      const nonce = `${/r=(.*)$/.exec(bare)?.[1]}${randomBytes(12).toString('base64')}`;
      const first = `r=${nonce},s=${salt.toString('base64')},i=${ITERATIONS}`;
      conversations.set(nonce, `${bare},${first}`);
      return { ok: 1, conversationId: 1, done: false, payload: Buffer.from(first) };
    }
    if ('saslContinue' in command) {
      const [withoutProof = '', nonce = ''] = /^c=biws,r=([^,]*)/.exec(textIn(command)) ?? [];
      const signature = hmac(serverKey, `${conversations.get(nonce)},${withoutProof}`);
      return { ok: 1, conversationId: 1, done: true, payload: Buffer.from(`v=${signature.toString('base64')}`) };
    }
    return undefined;
  };
};
