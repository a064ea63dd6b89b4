import { parseArgs } from 'node:util';
import { ROOT, run } from './command.ts';
import { buildImage, contentsOf, imageNames, versionIn } from './images.ts';
import { inColumns } from './table.ts';

// npm run images -- [--build-arg NAME=VALUE]…: every image of this working tree, with docker-compose.yml's tags

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { values } = parseArgs({ options: { 'build-arg': { type: 'string', multiple: true, default: [] } } });
const changed = (await run('git', ['status', '--porcelain'])) === '' ? '' : '-changed';
const revision = `${(await run('git', ['rev-parse', 'HEAD'])).trim()}${changed}`;
const rows = [['image', 'MB', 'own MB']];
for (const name of imageNames) {
  const tag = `boxoffice/${name}:${await versionIn(ROOT, name)}`;
  await buildImage({ context: ROOT, name, tag, revision, buildArgs: values['build-arg'] });
  const { megabytes, ownMegabytes } = await contentsOf(tag);
  rows.push([tag, `${megabytes}`, `${ownMegabytes}`]);
}
for (const line of inColumns(rows)) print(line);
