// The whole product in one process, as npm start runs it, with demo data.

import { keepCompiledCode } from './compile-cache.ts';

// Every file of the installation is for its owner only, whatever the directory's mode.
process.umask(0o077);
keepCompiledCode();
const { start } = await import('./start.ts');
await start();
