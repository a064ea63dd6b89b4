import { globSync, readFileSync } from 'node:fs';
import { createRequire, enableCompileCache, flushCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';

// node compile.mjs USER: while an image is made, loads everything that the program in /app may load, so that Node keeps its compiled code in
// /compiled. Node reads it where NODE_COMPILE_CACHE says so, for files at the same path and a process of the same user.

const APP = '/app';

const user = Number(process.argv[2]);
process.setgid(user);
process.setuid(user);
enableCompileCache('/compiled');

const modules = [`${APP}/dist/**/*.js`, `${APP}/node_modules/.pnpm/@boxoffice*/node_modules/@boxoffice/*/dist/**/*.js`];
// A program would begin its work; the others are for tests.
const isProgramOrTest = (file) => /\/(main|service)\.js$|\/(conformance|stand)\//.test(file);
const own = globSync(modules).filter((file) => !isProgramOrTest(file));

/** One that cannot be loaded here alone, like the code of a thread, is compiled at each start. */
const load = (url) => import(url).catch((error) => process.stdout.write(`not loaded: ${url}: ${error.message}\n`));

for (const file of own) {
  await load(pathToFileURL(file).href);
  // What a module loads when it needs it.
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/\bimport\('([^.':][^':]*)'\)/g))
    await load(pathToFileURL(createRequire(file).resolve(name)).href);
}
flushCompileCache();
process.stdout.write(`compiled: ${own.length} modules and what they load\n`);
// The code of a thread would wait for its messages.
process.exit(0);
