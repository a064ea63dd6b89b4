import { globSync, readFileSync } from 'node:fs';
import { createRequire, enableCompileCache, flushCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';

// node compile.mjs USER: part of the build of an image. Loads every module that the program in /app may load, so that
// Node writes the compiled code to /compiled. With NODE_COMPILE_CACHE Node reads it, for files at the same path and a
// process of the same user.

const APP = '/app';

const user = Number(process.argv[2]);
process.setgid(user);
process.setuid(user);
enableCompileCache('/compiled');

const modules = [`${APP}/dist/**/*.js`, `${APP}/node_modules/.pnpm/@boxoffice*/node_modules/@boxoffice/*/dist/**/*.js`];
// A program would start to serve.
const isProgram = (file) => /\/(main|service)\.js$/.test(file);
const own = globSync(modules).filter((file) => !isProgram(file));

/** A module that fails to load by itself, for example a worker thread's, is compiled at each start instead. */
const load = (url) => import(url).catch((error) => process.stdout.write(`not loaded: ${url}: ${error.message}\n`));

for (const file of own) {
  await load(pathToFileURL(file).href);
  // Modules that are imported dynamically.
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/\bimport\('([^.':][^':]*)'\)/g))
    await load(pathToFileURL(createRequire(file).resolve(name)).href);
}
flushCompileCache();
process.stdout.write(`compiled: ${own.length} modules and what they load\n`);
// A worker thread's module waits for messages and would keep this process running.
process.exit(0);
