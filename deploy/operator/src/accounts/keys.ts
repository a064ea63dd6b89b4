import { listKeys, rotateKeys } from '@boxoffice/authorizer';
import type { Command } from '../command.ts';

export const keys: readonly Command[] = [
  {
    name: 'keys list',
    usage: '',
    about: 'lists the keys that sign tokens, newest first',
    run: async (installation) => listKeys(await installation.authorizer()),
  },
  {
    name: 'keys rotate',
    usage: '[--compromised]',
    about:
      'creates the next key, published before it signs; --compromised: it signs at once, and tokens of older keys are refused within five seconds',
    run: async (installation, { options }) =>
      rotateKeys(await installation.authorizer(), {
        secret: installation.keyEncryptionKey(),
        compromised: options.compromised === true,
      }),
  },
];
