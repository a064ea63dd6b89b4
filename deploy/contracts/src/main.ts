import { readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { asyncApiDocument } from './asyncapi.ts';

// npm run asyncapi [-- check]: writes docs/asyncapi.yaml from the code, or says that it differs.

const FILE = new URL('../../../docs/asyncapi.yaml', import.meta.url);

const made = stringify(asyncApiDocument(), {
  lineWidth: 120,
  blockQuote: 'literal',
  aliasDuplicateObjects: false,
  // Quotes what a reader of YAML 1.1 takes for another type: a date-time is a text.
  compat: 'yaml-1.1',
});

if (process.argv[2] !== 'check') writeFileSync(FILE, made);
else if (readFileSync(FILE, 'utf8') !== made) {
  process.stdout.write('docs/asyncapi.yaml differs from the facts of the code: npm run asyncapi writes it\n');
  process.exitCode = 1;
}
