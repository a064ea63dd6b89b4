import { keepCompiledCode } from '@boxoffice/local/compile-cache';
import { endWithReader } from '@boxoffice/runtime';

// npm run operator -- COMMAND: works on the stores directly, with or without a running product

// The files that it creates are for their owner only.
process.umask(0o077);
keepCompiledCode();
endWithReader();
const { operate } = await import('./operator.ts');
process.exitCode = await operate(process.argv.slice(2));
