import { parseArgs } from 'node:util';
import { buildImage, checkContents, contentsOf, imageNames } from './images.ts';
import { inColumns } from './steps.ts';

// npm run images -- [--build-arg NAME=VALUE]…: builds every image of this working tree, with docker-compose.yml's tags,
// checks what is in them, and prints their sizes
const { values } = parseArgs({ options: { 'build-arg': { type: 'string', multiple: true, default: [] } } });
const rows = [['image', 'MB', 'own MB', 'own packages']];
for (const name of imageNames) {
  const tag = await buildImage(name, values['build-arg']);
  const contents = await contentsOf(tag);
  checkContents(name, contents);
  rows.push([tag, `${contents.megabytes}`, `${contents.ownMegabytes}`, contents.packages.join(' ')]);
}
process.stdout.write(inColumns(rows));
