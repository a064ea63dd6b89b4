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

/** The examples of an operation. */
const samplesOf = (path, method, operation) =>
  [
    { lang: 'shell', label: 'curl', source: curlSample(path, method, operation) },
    { lang: 'typescript', label: 'TypeScript', source: typescriptSample(path, operation) },
  ].filter(({ source }) => source !== undefined);

// For the scripts after this one.
Object.assign(globalThis, { samplesOf });
