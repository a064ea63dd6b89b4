// Services of the product in one process, each from the main.ts that its container starts.

// node services.ts NAME=PORT … (the gateway has settings of its own): those that the others call come first, since each
// waits until it can serve.

const ROOT = new URL('../../../../', import.meta.url);

for (const word of process.argv.slice(2)) {
  const [name = '', port] = word.split('=');
  const folder = name === 'gateway' || name === 'authorizer' ? name : `services/${name}`;
  // Read once, at the start of each.
  if (port !== undefined) process.env.PORT = port;
  await import(new URL(`${folder}/src/main.ts`, ROOT).href);
}
