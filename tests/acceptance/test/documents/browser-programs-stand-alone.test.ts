// What imports leave unsaid, which the rules of .dependency-cruiser.mjs hold: a file may name another by its address.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

const read = (folder: string, ending: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => ({ file: join(folder, name), text: readFileSync(join(root, folder, name), 'utf8') }));

const servers = ['gateway', 'authorizer', ...readdirSync(join(root, 'services')).map((name) => `services/${name}`)];

test('of a server, only what serves a browser program or draws its first pages names its files', () => {
  const naming = servers
    .flatMap((server) => read(`${server}/src`, /\.ts$/))
    .filter(({ text }) => /\.\.\/browser\b/.test(text));
  expect(naming.map(({ file }) => file).sort()).toEqual([
    'gateway/src/documentation/files.ts',
    'services/pos/src/shop/browser-modules.ts',
    'services/pos/src/shop/files.ts',
    'services/tickets/src/control/door-files.ts',
  ]);
});

test.each(['gateway', 'services/pos', 'services/tickets'])(
  'the browser program of %s names no file outside its folder',
  (server) => {
    const folder = `${server}/browser`;
    const named = read(folder, /\.(js|css|html)$/).flatMap(({ file, text }) =>
      [...text.matchAll(/['"`(](\.\.?\/[^'"`)]*)/g)].map(([, path = '']) => join(dirname(file), path)),
    );
    if (server !== 'gateway') expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !path.startsWith(`${folder}/`))).toEqual([]);
  },
);
