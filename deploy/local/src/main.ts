import { keepCompiledCode } from './compile-cache.ts';

// npm start
keepCompiledCode();
const { start } = await import('./start.ts');
await start();
