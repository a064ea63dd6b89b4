// The page to which a sign-in returns: leads back to the page of the reference where it began.
const outcome = document.getElementById('outcome');
const parameters = new URLSearchParams(location.search);

/** The address in the state that the viewer made; undefined if it is no page of this documentation. */
const origin = () => {
  try {
    const text = atob(parameters.get('state').replaceAll('-', '+').replaceAll('_', '/'));
    const page = new URL(JSON.parse(text).url);
    return page.origin === location.origin && /^\/docs(\/|$)/.test(page.pathname) ? page : undefined;
  } catch {
    return undefined;
  }
};

const page = origin();
if (page && parameters.has('code')) {
  page.search = location.search;
  location.replace(page);
} else {
  const error = parameters.get('error_description') ?? parameters.get('error');
  outcome.textContent = error
    ? `You are not signed in: ${error}`
    : 'No sign-in of the reference waits for this. Open the reference, and choose “Authentication” there.';
}
