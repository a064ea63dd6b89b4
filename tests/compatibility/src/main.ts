// Releases: snapshots of each process, comparison with the last release, and generated clients.

import { writeClients } from './clients/files.ts';

// npm run release -- check | clients | NAME… | all [--replace [--formats]]

const words = process.argv.slice(2);
if (words.join(' ') === 'clients') {
  // Loads no service here: a service cannot load without its generated clients.
  for (const path of await writeClients()) process.stdout.write(`${path}\n`);
} else {
  const { run } = await import('./command.ts');
  process.exitCode = await run(words);
}
