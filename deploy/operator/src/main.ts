import { keepCompiledCode } from '@boxoffice/local/compile-cache';

// npm run operator -- COMMAND: works on the stores directly, beside a running product or without one

// What it makes of an installation is for its owner only.
process.umask(0o077);
keepCompiledCode();
const { operate } = await import('./operator.ts');
process.exitCode = await operate(process.argv.slice(2));
