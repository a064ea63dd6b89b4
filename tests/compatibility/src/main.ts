// Releases: snapshots of each process, and comparison with the last release.

import { run } from './command.ts';

// npm run release -- check | documents | NAME… | all [--replace]

process.exitCode = await run(process.argv.slice(2));
