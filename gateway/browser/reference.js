// Draws the reference from the description that the page names.
const element = document.getElementById('reference');
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Adds examples of calls to an operation, and a pasted token to what authorizes it. */
const complete = (path, method, operation) => {
  const samples = [
    { lang: 'shell', label: 'curl', source: window.curlSample(path, method, operation) },
    { lang: 'typescript', label: 'TypeScript', source: window.typescriptSample(path, operation) },
  ];
  operation['x-code-samples'] = samples.filter(({ source }) => source !== undefined);
  if (operation.security?.some((one) => 'oauth2' in one)) operation.security.push({ token: [] });
};

const prepare = (description) => {
  for (const [path, operations] of Object.entries(description.paths))
    for (const method of METHODS.filter((one) => operations[one])) complete(path, method, operations[method]);
  const { securitySchemes } = description.components;
  if (securitySchemes?.oauth2) {
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
    'nav-bg-color': '--raised',
    'nav-text-color': '--ink',
    'nav-hover-bg-color': '--code',
    'nav-hover-text-color': '--link',
  };
  for (const [attribute, name] of Object.entries(colours)) explorer.setAttribute(attribute, colour(name));
};

const draw = async () => {
  const described = await (await fetch(element.dataset.description)).json();
  const description = prepare(await window.withLocalExamples(described, element.dataset.host));
  const explorer = document.createElement('openapi-explorer');
  for (const name of ['hide-server-selection', 'hide-components']) explorer.setAttribute(name, '');
  explorer.setAttribute('default-schema-tab', 'body');
  paint(explorer);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => paint(explorer));
  element.append(explorer);
  // The viewer would redeem a code of a sign-in before it knows the redirect URI that the code is for.
  const { pathname, search, hash } = location;
  history.replaceState(null, '', pathname + hash);
  await explorer.loadSpec(description);
  history.replaceState(null, '', pathname + search + hash);
  if (description.components.securitySchemes?.oauth2)
    await explorer.setAuthenticationConfiguration('oauth2', { redirectUri: '/docs/callback' });
  // The viewer goes to what it has drawn, also where the address names no operation.
  if (hash === '') scrollTo(0, 0);
};

draw();
