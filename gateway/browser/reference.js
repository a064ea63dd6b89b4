// Draws the reference from the description that the page names.

// Examples of an operation in curl and in TypeScript.

/** The value that a parameter or a body has in its description. */
const exampleOf = ({ example, examples, schema } = {}) => {
  if (example !== undefined) return example;
  const [first] = Object.values(examples ?? {});
  return first?.value ?? schema?.example ?? schema?.default;
};

const shellQuoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

const literal = (value, indent) => {
  const json = JSON.stringify(value, null, 2).replaceAll(/"([A-Za-z_]\w*)":/g, '$1:');
  return json.replaceAll('\n', `\n${indent}`);
};

const bodyOf = ({ requestBody }) => {
  const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
  return type === undefined ? undefined : { type, value: exampleOf(media) ?? {} };
};

/** Parameters of a place (path, query) with their examples: all of the path, of the query the required ones. */
const valuesIn = ({ parameters = [] }, place) =>
  parameters
    .filter((one) => one.in === place && (place === 'path' || one.required))
    .map((one) => [one.name, exampleOf(one) ?? `a-${one.name}`]);

const addressOf = (path, operation) => {
  const filled = valuesIn(operation, 'path').reduce((text, [name, value]) => text.replace(`{${name}}`, value), path);
  const query = new URLSearchParams(valuesIn(operation, 'query').map(([name, value]) => [name, `${value}`]));
  return query.size === 0 ? filled : `${filled}?${query}`;
};

/** The headers with which a request of this operation says who it is. */
const credentialsOf = (path, { security = [] }) => {
  if (path.startsWith('/tnwr/')) return ['X-Service-Host: $SERVICE_HOST'];
  return security.some((requirement) => 'oauth2' in requirement) ? ['Authorization: Bearer $TOKEN'] : [];
};

/** The request in curl. */
const curlSample = (path, method, operation) => {
  const body = bodyOf(operation);
  const headers = credentialsOf(path, operation).map((header) => `-H "${header}"`);
  const isJson = body?.type === 'application/json';
  const fields = Object.entries(isJson ? {} : (body?.value ?? {}));
  const parts = [
    `curl -X ${method.toUpperCase()} "$BASE${addressOf(path, operation)}"`,
    ...headers,
    ...(isJson ? ["-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(body.value))}`] : []),
    ...fields.map(([name, value]) => `--data-urlencode ${shellQuoted(`${name}=${value}`)}`),
  ];
  return parts.join(' \\\n  ');
};

/** The same call of @boxoffice/client; undefined for operations that it has no method for. */
const typescriptSample = (path, operation) => {
  const { operationId, tags = [] } = operation;
  const isService = operationId && !/^\/(?:auth|\.well-known)\//.test(path) && !tags.includes('gateway');
  if (!isService) return undefined;
  const body = bodyOf(operation);
  const groups = ['path', 'query'].map((place) => [place, Object.fromEntries(valuesIn(operation, place))]);
  const members = [...groups, ['body', body?.value ?? {}]].filter(([, value]) => Object.keys(value).length > 0);
  const inside = members.map(([name, value]) => `  ${name}: ${literal(value, '  ')},\n`).join('');
  const name = path.startsWith('/tnwr/') ? 'visitor' : 'client';
  return `const data = await ${name}.${operationId}(${inside === '' ? '' : `{\n${inside}}`});`;
};

// Resources of this installation in the place of those of the examples, so that what a form is filled with works.

const request = async (host, path) => {
  const answer = await fetch(`/tnwr/v1${path}`, { headers: { 'X-Service-Host': host, Accept: 'application/json' } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return (await answer.json()).data;
};

/** Ids by prefix of a performance with free places that the point of sale sells; empty if it sells none. */
const idsOnSale = async (host) => {
  const products = Object.values(await request(host, '/products?type=show&limit=500'));
  const product = products.find((one) => one.onSale && one.availability === 'available');
  if (!product) return {};
  const { performances } = await request(host, `/products/${product.id}`);
  const performance = performances.find((one) => one.availability === 'available');
  const category = performance?.seatCategories.find((one) => one.free > 8 && one.prices.length > 0);
  if (!category) return { prd: product.id };
  return { prd: product.id, prf: performance.id, cat: category.id, trf: category.prices[0].tariffId };
};

/** Members of bodies that name what an installation does not have. */
const UNKNOWN = ['contactNumber', 'placeIds', 'externalReference'];

const withoutUnknown = (value) => {
  if (Array.isArray(value)) return value.map(withoutUnknown);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).filter(([name]) => !UNKNOWN.includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutUnknown(member)]));
};

const fillBody = (operation) => {
  const examples = operation.requestBody?.content?.['application/json']?.examples ?? {};
  for (const example of Object.values(examples)) example.value = withoutUnknown(example.value);
};

/** Optional in the description, which cannot say that this one or `productId` is needed. */
const ONE_OF_TWO = 'performanceIds';

const fillParameter = (parameter, known) => {
  if (known.includes(parameter.example)) parameter.schema = { ...parameter.schema, default: parameter.example };
};

/** The description with ids of this installation; parameters that need one are filled in. */
const withLocalExamples = async (description, host) => {
  const ids = await idsOnSale(host).catch(() => ({}));
  const text = JSON.stringify(description).replaceAll(/"(prd|prf|cat|trf)_[\w-]+"/g, (example, prefix) =>
    ids[prefix] ? JSON.stringify(ids[prefix]) : example,
  );
  const local = JSON.parse(text);
  const known = [host, ...Object.values(ids)];
  const operations = Object.values(local.paths).flatMap((path) => Object.values(path));
  const parameters = operations.flatMap((operation) => operation.parameters ?? []);
  for (const parameter of [...Object.values(local.components.parameters ?? {}), ...parameters])
    if (parameter.required || parameter.name === ONE_OF_TWO) fillParameter(parameter, known);
  for (const operation of operations) fillBody(operation);
  return local;
};

// The viewer.

const element = document.getElementById('reference');
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Adds examples of calls to an operation, and a pasted token to what authorizes it. */
const complete = (path, method, operation) => {
  const samples = [
    { lang: 'shell', label: 'curl', source: curlSample(path, method, operation) },
    { lang: 'typescript', label: 'TypeScript', source: typescriptSample(path, operation) },
  ];
  operation['x-code-samples'] = samples.filter(({ source }) => source !== undefined);
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
    'nav-bg-color': '--raised',
    'nav-text-color': '--ink',
    'nav-hover-bg-color': '--code',
    'nav-hover-text-color': '--link',
  };
  for (const [attribute, name] of Object.entries(colours)) explorer.setAttribute(attribute, colour(name));
};

const draw = async () => {
  const described = await (await fetch(element.dataset.description)).json();
  const description = prepare(await withLocalExamples(described, element.dataset.host));
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
