import sax from 'sax';

/** UTF-8: 20 KB. */
export const LOGO_BYTES = 20_480;

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** No script, style sheet, link, foreign content, or animation; no `use`, with which a small file grows large. */
const ELEMENTS = words(`
  g defs title desc path rect circle ellipse line polyline polygon text tspan linearGradient radialGradient stop clipPath`);

const PRESENTATION = words(`
  fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit
  stroke-dasharray stroke-dashoffset opacity color stop-color stop-opacity clip-path clip-rule font-family font-size
  font-weight font-style text-anchor letter-spacing word-spacing dominant-baseline text-rendering shape-rendering
  color-interpolation vector-effect paint-order display visibility overflow`);

const GEOMETRY = words(`
  x y x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy d points width height viewBox preserveAspectRatio transform rotate
  textLength lengthAdjust pathLength offset gradientUnits gradientTransform spreadMethod clipPathUnits version`);

/** Their values are words for people and programs, which load nothing. */
const LABELS = words('id class role lang xml:lang xml:space aria-label aria-labelledby aria-describedby aria-hidden');

const SVG = 'http://www.w3.org/2000/svg';
const NAMESPACES: Readonly<Record<string, string>> = { xmlns: SVG, 'xmlns:xlink': 'http://www.w3.org/1999/xlink' };

const FUNCTIONS = words('rgb rgba hsl hsla matrix translate scale rotate skewX skewY');
const LOCAL_URL = /^url\(\s*(['"]?)#[\w.-]+\1\s*\)/;

const FOREIGN_ENTITY = /&(?!(amp|lt|gt|quot|apos|#\d+|#x[\dA-Fa-f]+);)/;

/** One answer names so many problems. */
const MOST = 5;

/**
 * Refuses what is no well-formed XML, no SVG, too large, or has an element, attribute or value that is not on the lists
 * above. What passes is safe as an image, inlined in a page, and in a PDF.
 */
export function findLogoProblems(text: string | null): string[] {
  if (text === null) return [];
  if (Buffer.byteLength(text) > LOGO_BYTES) return [`has more than ${LOGO_BYTES} bytes`];
  const problems = new Set<string>();
  if (FOREIGN_ENTITY.test(text)) problems.add('may not have an entity that XML does not define');
  const refuse = (what: string) => () => {
    problems.add(`may not have ${what}`);
  };
  const parser = sax.parser(true);
  let [depth, roots] = [0, 0];
  parser.onopentag = ({ name, attributes }) => {
    if (depth === 0 && (name !== 'svg' || attributes.xmlns !== SVG))
      problems.add(`must be an element svg of the namespace ${SVG}`);
    else if (depth > 0 && !ELEMENTS.has(name)) refuse(`the element ${name}`)();
    for (const [attribute, value] of Object.entries(attributes))
      if (!isAllowed(attribute, String(value))) refuse(`the attribute ${attribute} with this value`)();
    if (depth === 0) roots += 1;
    depth += 1;
  };
  parser.onclosetag = () => {
    depth -= 1;
  };
  parser.ondoctype = refuse('a DOCTYPE');
  parser.onsgmldeclaration = refuse('a declaration');
  parser.onopencdata = refuse('a CDATA section');
  parser.onprocessinginstruction = ({ name }) => {
    if (name !== 'xml') refuse('a processing instruction')();
  };
  parser.oncomment = (comment) => {
    if (/[<>]|--/.test(comment)) refuse('a comment with <, > or --')();
  };
  parser.onerror = ({ message }) => {
    problems.add(`is no well-formed XML: ${message.split('\n', 1)[0]}`);
    // Without it, the parser would throw the error at the next call.
    parser.resume();
  };
  parser.write(text).close();
  if (roots !== 1) problems.add('must be one SVG image');
  return [...problems].slice(0, MOST);
}

const isAllowed = (name: string, value: string): boolean => {
  // XML has no `<` there; an HTML parser could end a title at it.
  if (value.includes('<')) return false;
  if (LABELS.has(name) || /^data-[a-z-]+$/.test(name)) return true;
  if (name === 'style') return isPlainStyle(value);
  if (name === 'href' || name === 'xlink:href') return /^#[\w.-]+$/.test(value);
  if (Object.hasOwn(NAMESPACES, name)) return NAMESPACES[name] === value;
  return (PRESENTATION.has(name) || GEOMETRY.has(name)) && loadsNothing(value);
};

const isPlainStyle = (style: string): boolean =>
  style.split(';').every((declaration) => {
    const [property = '', ...value] = declaration.split(':');
    return declaration.trim() === '' || (PRESENTATION.has(property.trim()) && loadsNothing(value.join(':')));
  });

/** A value names no function but those of colours, transforms, and `url(#…)` within the drawing. */
const loadsNothing = (value: string): boolean =>
  !value.includes('\\') &&
  [...value.matchAll(/([\w-]*)\s*\(/g)].every(
    ({ 1: name = '', index }) => FUNCTIONS.has(name) || LOCAL_URL.test(value.slice(index)),
  );
