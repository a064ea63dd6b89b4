// The page to which a sign-in returns: passes its outcome to the reference, which waits for it in another window. They
// talk over a channel of their origin: the pages of signing in separate this window from the one that opened it.
const outcome = document.getElementById('outcome');
const parameters = new URLSearchParams(location.search);
const [state, code] = ['state', 'code'].map((name) => parameters.get(name));
const error = parameters.get('error_description') ?? parameters.get('error') ?? 'the answer has no code';

const channel = new BroadcastChannel('boxoffice-sign-in');

channel.onmessage = ({ data }) => {
  if (state === null || data.received !== state) return;
  outcome.textContent = code === null ? `You are not signed in: ${error}` : 'You are signed in. Close this window.';
  if (code !== null) window.close();
};

outcome.textContent = 'No sign-in of the reference waits for this. Open the reference, and choose “Authorize” there.';
channel.postMessage({ state, code, error });
