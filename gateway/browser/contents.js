// The list of operations, with a search. Both need nothing of the viewer, so that the first sight of the page is cheap.

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

/** Where the viewer has an operation, as it writes it into the address. */
const routeOf = (method, path) => `${method}-${path.replaceAll(/[\s#:?&={}-]+/g, '-')}`;

/** Every operation and webhook of a description. */
const operationsOf = ({ paths, webhooks = {} }) =>
  Object.entries({ paths, webhooks }).flatMap(([kind, items]) =>
    Object.entries(items).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => {
        const { operationId = '', summary: marked = '', tags: [tag = 'other'] = [] } = item[method];
        const summary = marked.replaceAll('`', '');
        const text = `${method} ${path} ${operationId} ${summary} ${tag}`.toLowerCase();
        return { kind, path, method, summary, tag, text, route: routeOf(method, path) };
      }),
    ),
  );

/** An element with its properties and children. */
const make = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const entryOf = ({ method, path, summary, route }) =>
  make(
    'li',
    {},
    make('a', { href: `#?route=${route}` }, summary || path, make('code', {}, `${method.toUpperCase()} ${path}`)),
  );

/** Draws the list and the search of these operations; returns what marks the one that is shown. */
const drawContents = (operations, place) => {
  const entries = operations.map((one) => ({ ...one, entry: entryOf(one) }));
  const groups = Object.entries(Object.groupBy(entries, ({ tag }) => tag)).map(([tag, members]) => {
    const list = make('ul', {}, ...members.map(({ entry }) => entry));
    return { members, details: make('details', {}, make('summary', {}, tag), list) };
  });
  const field = make('input', { type: 'search', id: 'search', autocomplete: 'off', spellcheck: false });
  const status = make('p', { role: 'status' });
  const form = make(
    'form',
    { role: 'search' },
    make('label', { htmlFor: 'search' }, 'Search operations'),
    field,
    status,
  );

  const search = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { members, details } of groups) {
      for (const { text, entry } of members) entry.hidden = !words.every((word) => text.includes(word));
      details.hidden = members.every(({ entry }) => entry.hidden);
      details.open = words.length > 0 && !details.hidden;
    }
    const found = entries.filter(({ entry }) => !entry.hidden);
    status.textContent =
      words.length === 0 ? `${entries.length} operations` : `${found.length} of ${entries.length} operations`;
    return found;
  };
  field.addEventListener('input', search);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    search()[0]?.entry.firstChild.click();
  });
  search();
  place.append(form, make('a', { href: '#?route=auth' }, 'Authentication'), ...groups.map(({ details }) => details));

  return (route) => {
    for (const { members, details } of groups) if (members.some((one) => one.route === route)) details.open = true;
    for (const link of place.querySelectorAll('a')) link.ariaCurrent = link.hash === `#?route=${route}` ? 'page' : null;
  };
};

// For the scripts after this one.
Object.assign(globalThis, { METHODS, make, operationsOf, drawContents });
