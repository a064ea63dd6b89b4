const SVG = 'http://www.w3.org/2000/svg';

/** Creates an element: `on…` attributes are listeners, absent and false ones are omitted, texts are never markup. */
export function h(tag, attributes, ...children) {
  return build(document.createElement(tag), attributes, children);
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
  else element.setAttribute(name, value === true ? '' : String(value));
};

const SHAPES = {
  green: 'M4 13l5 5L20 6',
  amber: 'M12 4v10M12 18.5v.5',
  red: 'M5 5l14 14M19 5L5 19',
  light: 'M9 18h6M10 21h4M12 3a6 6 0 0 0-4 10.5c.7.7 1 1.5 1 2.5h6c0-1 .3-1.8 1-2.5A6 6 0 0 0 12 3z',
  keys: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M7 14h10',
  back: 'M9 7L4 12l5 5M4 12h10a6 6 0 0 1 6 6',
  list: 'M4 6h16M4 12h16M4 18h16',
};

/** A symbol beside a word; screen readers do not read it. */
export function symbol(name) {
  const path = build(document.createElementNS(SVG, 'path'), { d: SHAPES[name] }, []);
  return build(document.createElementNS(SVG, 'svg'), { viewBox: '0 0 24 24', class: 'symbol', 'aria-hidden': 'true' }, [
    path,
  ]);
}

/** A button with a symbol and a word. */
export function button(attributes, name, ...words) {
  return h('button', { type: 'button', ...attributes }, name && symbol(name), h('span', null, ...words));
}

/** Shows a dialog until it is closed; resolves to the value with which that was. */
export function ask(title, content, buttons) {
  return new Promise((resolve) => {
    const form = h('form', { method: 'dialog' }, h('h2', { id: 'dialog-title' }, title), content);
    const dialog = h('dialog', { 'aria-labelledby': 'dialog-title' }, form);
    form.append(h('p', { class: 'buttons' }, buttons));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
