const SVG = 'http://www.w3.org/2000/svg';

let page = globalThis.document;

/** Makes elements with another document: the server draws first pages with one that writes them as HTML. */
export function drawWith(document) {
  page = document;
}

/** Creates an element: `on…` attributes are listeners, absent and false ones are omitted, texts are never markup. */
export function h(tag, attributes, ...children) {
  return build(page.createElement(tag), attributes, children);
}

const build = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes ?? {})) set(element, name, value);
  element.append(
    ...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false),
  );
  return element;
};

const set = (element, name, value) => {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
  else if (name === 'value') element.value = value;
  else element.setAttribute(name, value === true ? '' : String(value));
};

/** Creates an SVG element in the same way. */
export function svg(tag, attributes, ...children) {
  return build(page.createElementNS(SVG, tag), attributes, children);
}

/** Trims a text and collapses its white space. */
export function tidy(text) {
  return text.trim().replaceAll(/\s+/g, ' ');
}

/** A text for screen readers only. */
export function screenReaderText(text) {
  return h('span', { class: 'unseen' }, text);
}

let last = 0;

/** A unique element id. */
export function newId(prefix) {
  last += 1;
  return `${prefix}-${last}`;
}
