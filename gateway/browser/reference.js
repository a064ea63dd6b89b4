// Draws the reference from the description that the page names.
const element = document.getElementById('reference');

const scheme = matchMedia('(prefers-color-scheme: dark)');
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', scheme.matches);
applyScheme();
scheme.addEventListener('change', applyScheme);

const matches = (phrase) => (operation) =>
  [operation.get('path'), operation.get('method'), operation.getIn(['operation', 'operationId'])]
    .concat([operation.getIn(['operation', 'summary']), operation.getIn(['operation', 'description'])])
    .some((text) => text?.toLowerCase().includes(phrase));

/** The search: by path, method, operation id, summary and description, and not by tag alone. */
const search = {
  fn: {
    opsFilter: (taggedOperations, phrase) => {
      const wanted = phrase.trim().toLowerCase();
      return taggedOperations
        .map((tag, name) =>
          name.toLowerCase().includes(wanted)
            ? tag
            : tag.set('operations', tag.get('operations').filter(matches(wanted))),
        )
        .filter((tag) => tag.get('operations').size > 0);
    },
  },
};

/** Adds the examples above the responses of an operation. */
const samples = ({ React, specSelectors }) => ({
  wrapComponents: {
    responses: (Responses) => (props) => {
      const { path, method } = props;
      const operation = specSelectors.specResolvedSubtree(['paths', path, method])?.toJS();
      const create = React.createElement;
      const shown = operation && [
        ['curl', window.curlSample(path, method, operation)],
        ['TypeScript', window.typescriptSample(path, operation)],
      ];
      const drawn = (shown ?? [])
        .filter(([, text]) => text !== undefined)
        .map(([title, text]) =>
          create('details', { key: title }, create('summary', null, title), create('pre', { tabIndex: 0 }, text)),
        );
      return create(React.Fragment, null, create('div', { className: 'samples' }, drawn), create(Responses, props));
    },
  },
});

const ui = window.SwaggerUIBundle({
  url: element.dataset.description,
  domNode: element,
  deepLinking: true,
  filter: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
  oauth2RedirectUrl: new URL('/docs/callback', location.href).href,
  plugins: [search, samples],
  onComplete: () => {
    const field = element.querySelector('.operation-filter-input');
    field?.setAttribute('aria-label', 'Search by path, name or text');
    field?.setAttribute('placeholder', 'Search by path, name or text');
    // The page has its own.
    element.querySelector('main')?.setAttribute('role', 'none');
  },
});

ui.initOAuth({ clientId: '', usePkceWithAuthorizationCodeGrant: true });
