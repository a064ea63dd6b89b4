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

/** The description with these ids of this installation; parameters that need one are filled in. */
const withLocalExamples = (description, ids, host) => {
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

// For the scripts after this one.
Object.assign(globalThis, { idsOnSale, withLocalExamples });
