import { existsSync } from 'node:fs';
import { keepCompiledCode } from './compile-cache.ts';

// npm run service -- NAME: starts that process only, from the main.ts that its container starts.

const ROOT = new URL('../../../', import.meta.url);

/** Every service of the product and its package; an unimplemented one has no main.ts. */
const folders: Readonly<Record<string, string>> = {
  gateway: 'gateway',
  authorizer: 'authorizer',
  catalog: 'services/catalog',
  contacts: 'services/contacts',
  orders: 'services/orders',
  tickets: 'services/tickets',
  events: 'services/events',
  pos: 'services/pos',
};

const mainOf = (folder: string): URL => new URL(`${folder}/src/main.ts`, ROOT);

const existing = Object.entries(folders).filter(([, folder]) => existsSync(mainOf(folder)));

const [name = ''] = process.argv.slice(2);
const found = existing.find(([known]) => known === name);
if (found) {
  // Its files (the gateway's keys and descriptions) are for their owner only.
  process.umask(0o077);
  keepCompiledCode();
  await import(mainOf(found[1]).href);
} else {
  const names = existing.map(([known]) => known).join(', ');
  const problem = name === '' ? 'no service given: npm run service -- NAME' : `there is no service "${name}"`;
  process.stderr.write(`${problem}; there are: ${names}\n`);
  process.exitCode = 1;
}
