import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Finding } from './supply-chain.ts';

/** Bytes that the client of the institution API may have, minified, with everything that it imports. */
export const LIMIT = 30_000;

const FOLDER = fileURLToPath(new URL('../../../libs/client/src/', import.meta.url));

/** Bytes of a minified program that uses these exports of the package. */
export const sizeOf = async (names: readonly string[], entry = 'index.ts'): Promise<number> => {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${names.join(', ')} } from './${entry}';`, resolveDir: FOLDER },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
  });
  return outputFiles.reduce((sum, { contents }) => sum + contents.length, 0);
};

const EVERYTHING = ['createClient', 'verifyWebhook', 'ApiError', 'ConnectionError', 'isApiError'];

/** Checks what the package weighs in a browser, and that a program carries only what it uses of it. */
export const checkClientSize = async (): Promise<Finding> => {
  const whole = await sizeOf(EVERYTHING);
  const pointOfSale = await sizeOf(['createPosClient', 'isPosError'], 'pos/index.ts');
  const verification = await sizeOf(['verifyWebhook']);
  const faults = [
    ...(whole > LIMIT ? [`libs/client has ${whole} bytes minified, more than ${LIMIT}`] : []),
    ...(pointOfSale > LIMIT ? [`libs/client/src/pos has ${pointOfSale} bytes minified, more than ${LIMIT}`] : []),
    ...(verification > LIMIT / 10 ? [`libs/client: verifyWebhook alone brings ${verification} bytes`] : []),
  ];
  return { faults, summary: `${whole} bytes minified, pos ${pointOfSale}, webhooks alone ${verification}` };
};
