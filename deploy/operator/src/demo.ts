import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createProgressLine, ensureDemo, getDemoFile } from '@boxoffice/local';
import { explain, flag, publicUrl, readSettings, requireSetting, serviceRootSecret, url } from '@boxoffice/runtime';
import { type Command, type Given, requireOption } from './command.ts';
import { Refused } from './installation.ts';

const address = (name: string) =>
  requireSetting(
    url(name, { optional: true, origin: true }),
    'is not set; the demo data is created through the running services',
  );

/** The absolute path of --ca-file. @throws {Refused} when it contains no certificate to trust */
const certificateFileOf = (given: Given): string => {
  const path = resolve(requireOption(given, 'ca-file'));
  const pem = (() => {
    try {
      return readFileSync(path);
    } catch (error) {
      throw new Refused(`--ca-file: ${path} cannot be read: ${explain(error)}`);
    }
  })();
  try {
    new X509Certificate(pem);
    return path;
  } catch {
    throw new Refused(`--ca-file: ${path} holds no certificate`);
  }
};

export const demo: readonly Command[] = [
  {
    name: 'demo status',
    usage: '',
    about: 'whether the demo data exists, and the file with its credentials',
    async run(installation) {
      const { state } = await (await installation.demoProgress()).state();
      const file = getDemoFile(installation.directory);
      const words = { never: 'none', started: 'incomplete, finished by the next start', done: 'complete' } as const;
      return { demoData: words[state], credentials: existsSync(file) ? file : 'none' };
    },
  },
  {
    name: 'demo seed',
    usage: '--ca-file FILE',
    about:
      'seeds single services that run on AUTHORIZER_URL, CATALOG_URL, CONTACTS_URL, ORDERS_URL and, for payments by ' +
      'the simulated provider, PAYMENTS_URL, or writes a lost demo.json again (npm start does both itself); ' +
      '--ca-file: the certificate that clients of the gateway trust',
    async run(installation, given) {
      // The same setting as for npm start, so that a seeding container can be disabled.
      if (!readSettings({ demo: flag('BOXOFFICE_DEMO', { default: true }) }).demo)
        return 'BOXOFFICE_DEMO is off: nothing is seeded';
      const caFile = certificateFileOf(given);
      const { root, baseUrl, ...urls } = readSettings({
        authorizer: address('AUTHORIZER_URL'),
        catalog: address('CATALOG_URL'),
        contacts: address('CONTACTS_URL'),
        orders: address('ORDERS_URL'),
        payments: url('PAYMENTS_URL', { optional: true, origin: true }),
        root: serviceRootSecret,
        baseUrl: publicUrl,
      });
      const line = createProgressLine(process.stderr);
      const made = await ensureDemo({
        urls,
        serviceRootSecret: root,
        stores: {
          authorizer: await installation.store('authorizer'),
          catalog: await installation.store('catalog'),
          pos: await installation.store('pos'),
        },
        progress: await installation.demoProgress(),
        directory: installation.directory,
        addresses: { baseUrl, posUrl: baseUrl, caFile },
        now: new Date(),
        tell: line.tell,
      }).finally(line.end);
      if (!made) throw new Refused('this installation was set up without demo data and has its own institutions');
      return `the credentials are in ${getDemoFile(installation.directory)}`;
    },
  },
];
