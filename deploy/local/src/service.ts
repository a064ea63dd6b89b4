import { existsSync, globSync } from 'node:fs';
import { keepCompiledCode } from './compile-cache.ts';

// npm run service -- NAME: starts that process only, from the main.ts that its container starts.

const ROOT = new URL('../../../', import.meta.url);

/** The package of each process that has a main.ts: those of the product, and a team's own below `services`. */
const packages = ['gateway', 'authorizer', ...globSync('services/*', { cwd: ROOT }).toSorted()].filter((folder) =>
  existsSync(new URL(`${folder}/src/main.ts`, ROOT)),
);
const folders = new Map(packages.map((folder) => [folder.replace('services/', ''), folder]));

const [name = ''] = process.argv.slice(2);
const folder = folders.get(name);
if (folder !== undefined) {
  // Its files (the gateway's keys and descriptions) are for their owner only.
  process.umask(0o077);
  keepCompiledCode();
  await import(new URL(`${folder}/src/main.ts`, ROOT).href);
} else {
  const names = [...folders.keys()].join(', ');
  const problem = name === '' ? 'no service given: npm run service -- NAME' : `there is no service "${name}"`;
  process.stderr.write(`${problem}; there are: ${names}\n`);
  process.exitCode = 1;
}
