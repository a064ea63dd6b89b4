import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** First words of exported functions. A new verb of the field is added here; a noun or a participle is not. */
const verbs = new Set(
  `abandon accept acknowledge act add admit allow amend announce answer apply arm ask attempt authorise authorize begin behave blur
  break build buy cache call can cancel canonicalise capitalise change charge check choose claim close collect combine
  commit compare compile complete compose compute confirm connect consume continue control copy count crash create decide
  declare decline decode delay delete deliver deprecate dereference derive describe detect disable disarm dispute do draft drain draw drop
  encode end ensure enter erase exchange expand expect expire explain extend extract fail fetch fill filter find finish
  flood fold follow forget format forward free freeze generate get give group has hash hold identify import include insert
  inspect install instrument invalidate invite is issue join judge keep kill lapse launch leave let limit link list listen load
  locate lock log look lower mail make map mark match may measure merge migrate mount move multiply must mutate name narrow normalise note
  observe open operate parse pause pay permit place plan plant play poll post prepare print probe prove publish put queue
  quote react read readmit record recount redirect refresh refund refuse register reject relay release remember remove
  rename render renew repeat replace report request require reserve resolve restore restrict resume retry return revert rewrite roll
  rotate run scan schedule seal search select sell send separate serialise serve set settle share shorten show sign skip
  sort split start stock stop store strip subscribe sum sync take tell throw to trace trade trust try unblock unseal update
  submit upgrade upsert use verify view visit wait walk warn watch widen wrap write`.split(/\s+/),
);

/** Words of a language of their own, in route tables, schemas and settings, and the only builders of envelopes. */
const words = new Set('success failure ok created named oneOf cidrs html collection effect'.split(' '));

/** Names of values instead of actions. `asOf` is a member of lists. */
const value = /(?<!As)Of$|Named$|(?<!e)ed$|(?:held|kept|known|left|lost|made|paid|seen|sent|shown|sold|told|written)$/i;

/** Functions that mark, record or require a state end with its participle, and so do the conditions of others. */
const state =
  /^(?:is|has|may|can|mark|record|expect|require|match|compute|release|throw)(?=[A-Z])|(?:If|Until|Unless)[A-Z][a-z]+$/;

const listFiles = (pattern: string) =>
  execFileSync('git', ['ls-files', pattern], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((file) => !file.includes('/generated/') && !file.endsWith('.d.ts'))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

const exported = listFiles('*.ts')
  .flatMap(({ file, text }) =>
    [...text.matchAll(/^export (?:async )?function\*? ([a-z]\w*)/gm)].map(([, name = '']) => ({ file, name })),
  )
  .filter(({ name }) => !words.has(name));

test('an exported function begins with a verb, a predicate with is, has, may or can', () => {
  expect(exported.length).toBeGreaterThan(0);
  expect(exported.filter(({ name }) => !verbs.has(/^[a-z0-9]+/.exec(name)?.[0] ?? ''))).toEqual([]);
});

test('an exported function is not named by a participle, nor by what its value belongs to', () => {
  expect(exported.filter(({ name }) => value.test(name) && !state.test(name))).toEqual([]);
});

test('a helper function of a source file is not named by a participle alone', () => {
  const participle = /^(?:[a-z]*(?<!e)ed|held|kept|known|left|lost|made|paid|seen|sent|shown|sold|told|written)$/;
  const helpers = listFiles('*/src/*.ts').flatMap(({ file, text }) =>
    [...text.matchAll(/^ *const ([a-z]+) = (?:async )?(?:<.*>)?\([^()]*\)(?:: [^=()]*)? =>/gm)].map(
      ([, name = '']) => ({
        file,
        name,
      }),
    ),
  );
  expect(helpers.length).toBeGreaterThan(0);
  expect(helpers.filter(({ name }) => participle.test(name))).toEqual([]);
});
