import { existsSync } from 'node:fs';
import { demoFile, ensureDemo } from '@boxoffice/local';
import { publicUrl, readSettings, type Setting, serviceSecret, url } from '@boxoffice/runtime';
import { type Command, Misuse, required } from './command.ts';

/** The address of a running service, which the demo data are made through. */
const address = (name: string): Setting<string> => {
  const given = url(name, { optional: true, origin: true });
  return {
    name,
    read(env) {
      const value = given.read(env);
      if (value === undefined) throw new Error('is not set; the demo data are made through the running services');
      return value;
    },
  };
};

export const demo: readonly Command[] = [
  {
    name: 'demo status',
    usage: '',
    about: 'whether the demo data are there, and where their credentials are',
    async run(installation) {
      const { state } = await (await installation.demoProgress()).state();
      const file = demoFile(installation.directory);
      const words = { never: 'none', begun: 'begun, finished by the next start', done: 'complete' } as const;
      return { demoData: words[state], credentials: existsSync(file) ? file : 'none' };
    },
  },
  {
    name: 'demo seed',
    usage: '--ca-file FILE',
    about:
      'seeds single services that run on AUTHORIZER_URL and CATALOG_URL, or writes a lost demo.json again (npm start does both itself); --ca-file: what clients of the gateway trust',
    options: { 'ca-file': { type: 'string' } },
    async run(installation, given) {
      const caFile = required(given, 'ca-file');
      const settings = readSettings({
        authorizerUrl: address('AUTHORIZER_URL'),
        catalogUrl: address('CATALOG_URL'),
        serviceSecret,
        publicUrl,
      });
      const made = await ensureDemo({
        ...settings,
        stores: { authorizer: await installation.authorizer(), catalog: await installation.catalog() },
        progress: await installation.demoProgress(),
        directory: installation.directory,
        addresses: { baseUrl: settings.publicUrl, posUrl: settings.publicUrl, caFile },
        now: new Date(),
        tell: (what) => process.stderr.write(`${what}\n`),
      });
      if (!made) throw new Misuse('this installation was set up without demo data, and has institutions of its own');
      return `the credentials are in ${demoFile(installation.directory)}`;
    },
  },
];
