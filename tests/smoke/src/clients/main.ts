// npm run clients

import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProduct } from '@boxoffice/acceptance';
import { openClient } from '@boxoffice/testkit';
import { run, step, succeeds } from '../command.ts';
import { generate, languages, pythonOf, redocly, spectral } from './languages.ts';

const USAGE = `npm run clients

Starts the product, makes clients of its descriptions with openapi-generator (Java is needed; the others where they are
installed), compiles them, uses the one for Python, and lints the descriptions. Downloads what it needs from Maven
Central, PyPI, npm and the Go proxy. Exit status 1: a step failed.
`;

const JAR = 'openapi-generator-cli-7.25.0.jar';
const JAR_URL = `https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/7.25.0/${JAR}`;
const JAR_SHA256 = '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae';

/** The generator's path, downloaded once. @throws {Error} if it is not the released one */
const generatorIn = async (cache: string): Promise<string> => {
  const path = join(cache, JAR);
  const bytes = await readFile(path).catch(async () => Buffer.from(await (await fetch(JAR_URL)).arrayBuffer()));
  if (createHash('sha256').update(bytes).digest('hex') !== JAR_SHA256)
    throw new Error(`${JAR} is not the released one`);
  await mkdir(cache, { recursive: true });
  await writeFile(path, bytes);
  return path;
};

const none = (problems: readonly string[]): string => {
  if (problems.length > 0) throw new Error(`${problems.length} problems\n${problems.join('\n')}`);
  return 'no warning';
};

/** Runs every step, also after a failed one; whether none failed. */
const makeClients = async (): Promise<boolean> => {
  let failures = 0;
  const attempt = (name: string, act: () => Promise<string>): Promise<void> =>
    step(name, act).catch(() => {
      failures += 1;
    });
  const folder = await mkdtemp(join(tmpdir(), 'boxoffice-clients-'));
  const product = await startProduct();
  try {
    const jar = await generatorIn(join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'boxoffice-ci'));
    const ruleset = join(folder, 'ruleset.json');
    await writeFile(ruleset, JSON.stringify({ extends: ['spectral:oas'] }));
    for (const path of ['/openapi.json', '/tnwr/v1/openapi.json', '/tnwr/vexp/openapi.json']) {
      const description = join(folder, `${path.replaceAll('/', '-').slice(1)}`);
      await writeFile(description, (await openClient(product.address)(path)).text);
      await attempt(`${path}: redocly`, async () => none(await redocly(description)));
      await attempt(`${path}: spectral`, async () => none(await spectral(description, ruleset)));
      for (const language of languages) {
        const { generator, tool, build } = language;
        const target = `${description}-${generator}`;
        await attempt(`${path}: ${generator}`, async () => {
          await generate(jar, description, language, target);
          if (!(await succeeds(tool[0], tool.slice(1)))) return `generated; not compiled: there is no ${tool[0]}`;
          await build(target);
          if (generator !== 'python' || path !== '/openapi.json') return 'generated and compiled';
          const script = new URL('use-client.py', import.meta.url).pathname;
          return run(pythonOf(target), [script, join(product.directory, 'demo.json')]);
        });
      }
    }
  } finally {
    await product.stop();
    await product.discard();
    await rm(folder, { recursive: true, force: true });
  }
  return failures === 0;
};

if (process.argv.includes('--help')) process.stdout.write(USAGE);
else process.exitCode = (await makeClients()) ? 0 : 1;
