const SVG = 'http://www.w3.org/2000/svg';

let page = globalThis.document;

/** Makes elements with another document: the server draws first pages with one that writes them as HTML. */
export const drawWith = (document) => {
  page = document;
};

const set = (element, name, value) => {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
  else if (name === 'value') element.value = value;
  else element.setAttribute(name, value === true ? '' : String(value));
};

const build = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes ?? {})) set(element, name, value);
  element.append(
    ...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false),
  );
  return element;
};

/** Creates an element: `on…` attributes are listeners, absent and false ones are omitted, texts are never markup. */
export const h = (tag, attributes, ...children) => build(page.createElement(tag), attributes, children);

/** Creates an SVG element in the same way. */
export const svg = (tag, attributes, ...children) => build(page.createElementNS(SVG, tag), attributes, children);

/** Trims a text and collapses its white space. */
export const tidy = (text) => text.trim().replaceAll(/\s+/g, ' ');

/** A text for screen readers only. */
export const screenReaderText = (text) => h('span', { class: 'unseen' }, text);

let last = 0;

/** A unique element id. */
export const newId = (prefix) => {
  last += 1;
  return `${prefix}-${last}`;
};
