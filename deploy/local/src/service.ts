import { keepCompiledCode } from './compile-cache.ts';

// npm run service -- NAME: starts that process only, from the main.ts that its container starts.

const ROOT = new URL('../../../', import.meta.url);

/** Every service of the product and its package. */
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

const [name = ''] = process.argv.slice(2);
const folder = Object.hasOwn(folders, name) ? folders[name] : undefined;
if (folder !== undefined) {
  // Its files (the gateway's keys and descriptions) are for their owner only.
  process.umask(0o077);
  keepCompiledCode();
  await import(new URL(`${folder}/src/main.ts`, ROOT).href);
} else {
  const names = Object.keys(folders).join(', ');
  const problem = name === '' ? 'no service given: npm run service -- NAME' : `there is no service "${name}"`;
  process.stderr.write(`${problem}; there are: ${names}\n`);
  process.exitCode = 1;
}
