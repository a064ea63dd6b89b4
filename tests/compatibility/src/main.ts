// Releases: snapshots of each process, and comparison with the last release.

import { run } from './command.ts';

// npm run release -- check | NAME… | all [--replace [--formats]]

process.exitCode = await run(process.argv.slice(2));
