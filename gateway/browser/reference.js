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

/** Leaves out the sign-in of programs: a client's secret does not belong into a page. */
const users = {
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (description) => {
          const { clientCredentials: _, ...flows } = description.components?.securitySchemes?.oauth2?.flows ?? {};
          if (Object.keys(flows).length > 0) description.components.securitySchemes.oauth2.flows = flows;
          return update(description);
        },
      },
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
  plugins: [search, users, samples],
  onComplete: () => {
    const field = element.querySelector('.operation-filter-input');
    field?.setAttribute('aria-label', 'Search by path, name or text');
    field?.setAttribute('placeholder', 'Search by path, name or text');
    // The page has its own.
    element.querySelector('main')?.setAttribute('role', 'none');
  },
});

ui.initOAuth({ clientId: '', usePkceWithAuthorizationCodeGrant: true });

/** Takes what the page at `/docs/callback` passes on, if it is the answer to the sign-in that was begun here. */
const channel = new BroadcastChannel('boxoffice-sign-in');
channel.onmessage = ({ data }) => {
  const request = window.swaggerUIRedirectOauth2;
  if (!request || !data.state || data.state !== request.state) return;
  delete window.swaggerUIRedirectOauth2;
  channel.postMessage({ received: data.state });
  const { auth, redirectUrl, callback, errCb } = request;
  if (data.code) callback({ auth: { ...auth, code: data.code }, redirectUrl });
  else errCb({ authId: auth.name, source: 'auth', level: 'error', message: data.error });
};
