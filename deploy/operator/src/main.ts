import { keepCompiledCode } from '@boxoffice/local/compile-cache';

// npm run operator -- COMMAND: works on the stores directly, beside a running product or without one
keepCompiledCode();
const { operate } = await import('./operator.ts');
process.exitCode = await operate(process.argv.slice(2));
