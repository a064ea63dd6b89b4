import { parseQualities } from '../requests/headers.ts';

/** Longer texts are not parsed as tags. */
const MAX_TAG_LENGTH = 64;

interface Parsed {
  readonly tag: string;
  readonly language: string;
  /** As written or, where it is not, the usual one: `Hant` of `zh-TW` (Unicode Technical Standard 35). */
  readonly script: string | undefined;
  readonly isRegional: boolean;
}

/** Cached; the cache is cleared when it is full. */
const known = new Map<string, Parsed | undefined>();
const MAX_KNOWN = 1_000;

/** RFC 5646, 4.5, with Unicode CLDR, no extensions: `deu` and `ger` become `de`, `iw` `he`. Undefined if malformed. */
export function canonicaliseTag(tag: string): string | undefined {
  return tag.length > MAX_TAG_LENGTH ? undefined : parsedTag(tag)?.tag;
}

const parsedTag = (tag: string): Parsed | undefined => {
  const found = known.get(tag);
  if (found !== undefined || known.has(tag)) return found;
  const made = parse(tag);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(tag, made);
  return made;
};

const parse = (tag: string): Parsed | undefined => {
  const locale = parseTag(tag);
  const { language, script } = locale?.maximize() ?? {};
  if (!locale || language === undefined) return undefined;
  return { tag: locale.baseName, language: locale.language, script, isRegional: locale.region !== undefined };
};

const parseTag = (tag: string): Intl.Locale | undefined => {
  try {
    return new Intl.Locale(tag);
  } catch {
    return undefined;
  }
};

/** The same, else the language without a region (`pt` for `pt-PT`), else a region in the same script, else another. */
export function matchTag(tag: string, available: readonly string[]): string | undefined {
  if (available.includes(tag)) return tag;
  const wanted = readTag(tag);
  if (!wanted) return undefined;
  const found = available.flatMap((one) => {
    const read = readTag(one);
    return read?.language === wanted.language ? [{ one, far: distance(wanted, read) }] : [];
  });
  return found.toSorted((a, b) => a.far - b.far)[0]?.one;
}

/** As people write it: with an underscore, or with what follows the language malformed. */
const readTag = (text: string): Parsed | undefined => {
  const tag = text.trim().replaceAll('_', '-');
  if (tag.length > MAX_TAG_LENGTH) return undefined;
  return parsedTag(tag) ?? parsedTag(tag.split('-', 1)[0] ?? '');
};

/** From the same tag, 0, to a text of the same language only, which may be in letters that the reader cannot read. */
const distance = (wanted: Parsed, one: Parsed): number => {
  if (one.tag === wanted.tag) return 0;
  if (one.script !== wanted.script) return 3;
  return one.isRegional ? 2 : 1;
};

/** Best first, without malformed ones: that of `lang`, then those of Accept-Language. */
export function listAcceptedTags(lang: string | undefined, acceptLanguage?: string): string[] {
  const ranges = parseQualities(acceptLanguage).filter(({ quality }) => quality > 0);
  return [lang ?? '', ...ranges.map(({ name }) => name)].flatMap((text) => readTag(text)?.tag ?? []);
}

/** That of `lang`, then those of Accept-Language (`*`: all that it does not name), then the others in their order. */
export function sortLanguages(
  lang: string | undefined,
  acceptLanguage: string | undefined,
  configured: readonly string[],
): string[] {
  const matchConfigured = (tag: string) => matchTag(tag, configured) ?? [];
  const ranges = parseQualities(acceptLanguage);
  const named = new Set(ranges.flatMap(({ name }) => matchConfigured(name)));
  const unnamed = configured.filter((one) => !named.has(one));
  const accepted = ranges
    .filter(({ quality }) => quality > 0)
    .flatMap(({ name }) => (name === '*' ? unnamed : matchConfigured(name)));
  return [...new Set([...(lang === undefined ? [] : [matchConfigured(lang)].flat()), ...accepted, ...configured])];
}

/** In the first of these languages that has a text, else the first of all; empty without any. */
export function selectText(texts: string | Readonly<Record<string, string>>, wanted: readonly string[]): string {
  if (typeof texts === 'string') return texts;
  const available = Object.keys(texts);
  const [first = ''] = available;
  for (const tag of wanted) {
    const found = matchTag(tag, available);
    if (found !== undefined) return texts[found] ?? '';
  }
  return texts[first] ?? '';
}
