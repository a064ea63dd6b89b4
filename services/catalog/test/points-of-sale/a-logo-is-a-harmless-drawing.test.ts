import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LOGO_BYTES, logoProblems } from '../../src/points-of-sale/logo.ts';

const svg = (inner: string, attributes = '') => `<svg xmlns="http://www.w3.org/2000/svg"${attributes}>${inner}</svg>`;

const filled = (bytes: number, letter = 'a') => {
  const empty = svg('<title></title>');
  return svg(`<title>${letter.repeat((bytes - empty.length) / Buffer.byteLength(letter))}</title>`);
};

describe('a logo', () => {
  test.each([
    svg('<circle cx="8" cy="8" r="7" fill="#8c1d18"/>', ' viewBox="0 0 16 16"'),
    `<?xml version="1.0" encoding="UTF-8"?>\n<!-- drawn by hand -->\n${svg('<title>Opéra &amp; co &#233;</title>')}\n`,
    svg(
      '<defs><linearGradient id="g" href="#h"><stop offset="0" stop-color="rgb(1,2,3)"/></linearGradient></defs>' +
        '<g id="a" class="b" data-name="Layer 1" transform="translate(1 2) rotate(3)" clip-path="url(#c)">' +
        `<path d="M0 0h1v1z" style="fill:url('#g'); stroke : none;"/></g><text x="1">O</text>`,
      ' xmlns:xlink="http://www.w3.org/1999/xlink" width="10" height="10" role="img" aria-label="Opera (Geneva)"',
    ),
    filled(LOGO_BYTES),
  ])('may be drawn of shapes, text and gradients: %#', (text) => expect(logoProblems(text)).toEqual([]));

  test.each([
    ['a script', svg('<script>alert(1)</script>'), 'element script'],
    ['a script of another namespace', svg('<x:script xmlns:x="http://www.w3.org/2000/svg"/>'), 'element x:script'],
    ['upper case', svg('<SCRIPT/>'), 'element SCRIPT'],
    ['an event', svg('<rect/>', ' onload="alert(1)"'), 'attribute onload'],
    [
      'foreign content',
      svg('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'),
      'foreignObject',
    ],
    ['an image', svg('<image href="data:image/png;base64,"/>'), 'element image'],
    ['a link', svg('<a href="javascript:alert(1)"/>'), 'element a'],
    ['an animation', svg('<path d=""><set attributeName="href" to="javascript:alert(1)"/></path>'), 'element set'],
    ['repeated use', svg('<g id="a"/><use href="#a"/>'), 'element use'],
    ['a drawing within', svg(svg('')), 'element svg'],
    ['a reference to elsewhere', svg('<linearGradient href="https://a.example/#b"/>'), 'attribute href'],
    ['the same by XLink', svg('<linearGradient xlink:href="//a.example/#b"/>'), 'attribute xlink:href'],
    ['a URL of CSS', svg('<rect fill="url(https://a.example/)"/>'), 'attribute fill'],
    ['one after a harmless one', svg('<rect fill="url(#a) url( //a.example)"/>'), 'attribute fill'],
    ['one in disguise', svg('<rect fill="u\\72l(https://a.example/)"/>'), 'attribute fill'],
    ['one by a reference', svg('<rect fill="&#117;rl(//a.example)"/>'), 'attribute fill'],
    ['one in a style', svg('<rect style="fill:URL(//a.example)"/>'), 'attribute style'],
    ['a set of images', svg('<rect mask="image-set(//a.example)"/>'), 'attribute mask'],
    ['a property of pages', svg('<rect style="position:fixed"/>'), 'attribute style'],
    ['a style sheet', svg('<style>@import "//a.example";</style>'), 'element style'],
    ['a style sheet named before', `<?xml-stylesheet href="//a.example"?>${svg('')}`, 'processing instruction'],
    ['a DOCTYPE', `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${svg('<title>&b;</title>')}`, 'DOCTYPE'],
    ['an entity of HTML', svg('<title>&nbsp;</title>'), 'entity'],
    ['a CDATA section', svg('<title><![CDATA[<script>]]></title>'), 'CDATA'],
    ['a comment that ends early in HTML', svg('<!--><img src="x" onerror="alert(1)">-->'), 'comment'],
    ['a title that ends early in HTML', svg('<desc><title><g id="</title><img>"/></title></desc>'), 'attribute id'],
    ['a base', svg('', ' xml:base="https://a.example/"'), 'attribute xml:base'],
    ['another root', '<html xmlns="http://www.w3.org/1999/xhtml"/>', 'must be an element svg'],
    ['no namespace', '<svg/>', 'must be an element svg'],
    ['two roots', svg('') + svg(''), 'must be one SVG image'],
    ['an open end', svg('<g>'), 'well-formed'],
    ['no XML', 'GIF89a', 'well-formed'],
    ['nothing', ' ', 'must be one SVG image'],
    ['a comment alone', '<!-- -->', 'must be one SVG image'],
    ['20 KB and one byte', filled(LOGO_BYTES + 1), 'more than 20480 bytes'],
    ['20 KB of characters of two bytes', filled(LOGO_BYTES + 2, 'é'), 'more than 20480 bytes'],
  ])('has not %s', (_, text, problem) => expect(logoProblems(text).join()).toContain(problem));

  test('with many faults is refused in few lines', () => {
    const many = svg(Array.from({ length: 50 }, (_, index) => `<x${index}/>`).join(''));
    expect(logoProblems(many)).toHaveLength(5);
  });

  test('of any broken text is refused, not an exception', () => {
    const whole = svg('<!-- a --><g id="a"><path d="M0 0"/>&amp;</g>');
    const piece = fc.oneof(
      fc.constantFrom('<', '>', '&', '"', "'", '/', '!', '?', '<!', '<?', '<![CDATA[', ']]>', '-->'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(20), fc.array(piece, { maxLength: 5 }), (at, dropped, pieces) => {
        expect(logoProblems(whole.slice(0, at) + pieces.join('') + whole.slice(at + dropped))).toBeInstanceOf(Array);
      }),
    );
  });
});
