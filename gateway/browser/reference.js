// Shows one operation at a time: the viewer works through all that it is given before it draws anything.

const place = document.getElementById('reference');
const { description: address, host, viewer, integrity } = place.dataset;

/** The components that a value refers to, and those that these refer to. */
const componentsOf = (value, components, found = {}) => {
  for (const [, kind, name] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)) {
    if (found[kind]?.[name] !== undefined) continue;
    found[kind] = { ...found[kind], [name]: components[kind][name] };
    componentsOf(components[kind][name], components, found);
  }
  return found;
};

/** The description of one operation; without one, of how requests are authorized. */
const partOf = ({ paths, webhooks, tags, components, ...others }, shown) => {
  const part = { paths: {}, tags: [] };
  if (shown) {
    const { kind, path, method, tag } = shown;
    const members = Object.entries((kind === 'paths' ? paths : webhooks)[path]);
    const item = members.filter(([name]) => name === method || !METHODS.includes(name));
    part[kind] = { [path]: Object.fromEntries(item) };
    part.tags = tags.filter(({ name }) => name === tag);
  }
  const { securitySchemes } = components;
  return { ...others, ...part, components: { ...componentsOf(part, components), securitySchemes } };
};

/** Adds examples of calls to an operation, and a pasted token to what authorizes it. */
const complete = (path, method, operation) => {
  operation['x-code-samples'] = samplesOf(path, method, operation);
  if (operation.security?.some((one) => 'oauth2' in one)) operation.security.push({ token: [] });
};

const prepare = (description) => {
  for (const [path, operations] of Object.entries(description.paths))
    for (const method of METHODS.filter((one) => operations[one])) complete(path, method, operations[method]);
  const { securitySchemes } = description.components;
  if (securitySchemes?.oauth2) {
    // Without scopes a token gets what its client and user have; the description lists those of every service.
    for (const flow of Object.values(securitySchemes.oauth2.flows)) delete flow.scopes;
    securitySchemes.token = { type: 'http', scheme: 'bearer', description: 'An access token that you have already.' };
  }
  return description;
};

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The colours of the page, in its present scheme. */
const paint = (explorer) => {
  const colours = {
    'primary-color': '--link',
    'secondary-color': '--link',
    'bg-color': '--paper',
    'header-color': '--ink',
    'text-color': '--ink',
  };
  for (const [attribute, name] of Object.entries(colours)) explorer.setAttribute(attribute, colour(name));
};

/** Loads the viewer, which takes a slow phone longer than all the rest. */
const loadViewer = () =>
  new Promise((resolve, reject) => {
    document.head.append(make('script', { src: viewer, integrity, onload: resolve, onerror: reject }));
  });

const createExplorer = async () => {
  await loadViewer();
  const explorer = document.createElement('openapi-explorer');
  for (const name of ['hide-server-selection', 'hide-components', 'hide-search', 'hide-info'])
    explorer.setAttribute(name, '');
  explorer.setAttribute('default-schema-tab', 'body');
  explorer.tabIndex = -1;
  paint(explorer);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => paint(explorer));
  // What the reader has entered or signed in with stays for the next operation.
  let schemes;
  explorer.addEventListener('spec-loaded', ({ detail }) => {
    schemes ??= detail.securitySchemes;
    detail.securitySchemes = schemes;
  });
  place.append(explorer);
  return explorer;
};

/** Loads the first description, and redeems the code of a sign-in that returns. */
const loadFirst = async (explorer, description) => {
  // The viewer would redeem the code before it knows the redirect URI that the code is for.
  const { pathname, search, hash } = location;
  history.replaceState(null, '', pathname + hash);
  await explorer.loadSpec(description);
  history.replaceState(null, '', pathname + search + hash);
  if (description.components.securitySchemes?.oauth2)
    await explorer.setAuthenticationConfiguration('oauth2', { redirectUri: '/docs/callback' });
};

/** The place that the address names, as the viewer writes it; a sign-in returns to where it is shown. */
const routeNow = () => {
  const named = new URLSearchParams(location.hash.split('?')[1]).get('route');
  return named || (new URLSearchParams(location.search).has('code') ? 'auth' : '');
};

const start = async () => {
  const nav = document.getElementById('contents');
  const overview = document.getElementById('overview');
  const answer = await fetch(address);
  if (!answer.ok) {
    overview.textContent = 'The description cannot be read now. Try again later.';
    return;
  }
  const described = await answer.json();
  const operations = operationsOf(described);
  const mark = drawContents(operations, nav);
  let explorer;
  let ids;
  let last;

  const show = async () => {
    const route = routeNow();
    const shown = operations.find((one) => one.route === route);
    const isAuthentication = route === 'auth';
    const isPlace = shown !== undefined || isAuthentication;
    mark(route);
    overview.hidden = isPlace;
    if (explorer) explorer.hidden = !isPlace;
    // How requests are authorized is part of all that is shown; the viewer turns to it by itself.
    if (!isPlace || route === last || (explorer && isAuthentication)) return;
    ids ??= await idsOnSale(host).catch(() => ({}));
    const part = prepare(withLocalExamples(partOf(described, shown), ids, host));
    const isFirst = explorer === undefined;
    explorer ??= await createExplorer();
    explorer.setAttribute('explorer-location', route);
    await (isFirst ? loadFirst(explorer, part) : explorer.loadSpec(part));
    last = route;
    // From the list to what it leads to, for the keyboard and for screen readers.
    if (nav.contains(document.activeElement)) explorer.focus({ preventScroll: true });
  };

  let showing = show();
  addEventListener('hashchange', () => {
    // The place of before may have failed, for want of a network.
    showing = showing.catch(() => undefined).then(show);
  });
};

start();
