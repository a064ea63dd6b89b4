/** The command is well-formed, but what it asks for cannot be done; the message says why. Exit status 1. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
