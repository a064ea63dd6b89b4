// The page to which a sign-in returns: gives its outcome to the window of the reference, which waits for it.
const outcome = document.getElementById('outcome');

/** What the viewer left for this page before it opened the sign-in; undefined if this window was not opened by it. */
const pending = () => {
  try {
    return window.opener?.swaggerUIRedirectOauth2;
  } catch {
    return undefined;
  }
};

const parameters = new URLSearchParams(location.search);
const request = pending();

if (!request) {
  outcome.textContent = 'No sign-in of the reference waits for this. Open the reference, and choose “Authorize” there.';
} else if (parameters.get('state') !== request.state) {
  outcome.textContent = 'This is the answer to another sign-in. Close this window and start again.';
} else if (parameters.has('code')) {
  request.auth.code = parameters.get('code');
  request.callback({ auth: request.auth, redirectUrl: request.redirectUrl });
  window.close();
} else {
  const message = parameters.get('error_description') ?? parameters.get('error') ?? 'no code was sent';
  request.errCb({ authId: request.auth.name, source: 'auth', level: 'error', message });
  outcome.textContent = `You are not signed in: ${message}`;
}
