import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listKeys, rotateKeys } from '@boxoffice/authorizer';
import { deriveServiceSecret, explain, readSettings, serviceRootSecret } from '@boxoffice/runtime';
import { readPresentRows } from '@boxoffice/runtime/services';
import type { Command } from '../command.ts';
import { Refused } from '../installation.ts';

export const keys: readonly Command[] = [
  {
    name: 'keys list',
    usage: '',
    about: 'lists the keys that sign tokens, newest first',
    run: async (installation) => listKeys(await installation.store('authorizer')),
  },
  {
    name: 'keys rotate',
    usage: '[--compromised]',
    about:
      'creates the next key, published before it signs; --compromised: it signs at once, and tokens of older keys ' +
      'are refused within five seconds',
    run: async (installation, { options }) =>
      rotateKeys(await installation.store('authorizer'), {
        secret: installation.keyEncryptionKey(),
        compromised: options.compromised === true,
      }),
  },
];

/** For its owner only. @throws {Refused} when one cannot be written */
const writeSecrets = (directory: string, secrets: readonly { process: string; secret: string }[]) =>
  secrets.map(({ process, secret }) => {
    const file = join(resolve(directory), `${process}.service-secret`);
    try {
      // A present file would keep its mode.
      rmSync(file, { force: true });
      writeFileSync(file, secret, { mode: 0o600 });
    } catch (error) {
      throw new Refused(`--directory: ${file} cannot be written: ${explain(error)}`);
    }
    return { process, file };
  });

export const serviceSecrets: readonly Command[] = [
  {
    name: 'service-secrets',
    usage: '[PROCESS] [--directory DIR]',
    about:
      'prints the SERVICE_SECRET of each process, or of one, derived from SERVICE_ROOT_SECRET; --directory: writes ' +
      'DIR/PROCESS.service-secret instead',
    data: 'unneeded',
    async run(_installation, { words: [only], options: { directory } }) {
      // The authorizer has the root secret.
      const all = readPresentRows().flatMap(({ name }) => (name === 'authorizer' ? [] : [name]));
      const processes = all.filter((name) => only === undefined || name === only);
      if (processes.length === 0) throw new Refused(`there is no process ${only}; there are: ${all.join(', ')}`);
      const { root } = readSettings({ root: serviceRootSecret });
      const secrets = processes.map((process) => ({ process, secret: deriveServiceSecret(root, process) }));
      if (typeof directory === 'string') return writeSecrets(directory, secrets);
      // A single secret is printed alone, so that a script can use the output unchanged.
      return only === undefined ? secrets : String(secrets[0]?.secret);
    },
  },
];
