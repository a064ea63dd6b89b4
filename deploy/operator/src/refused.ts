/** The command is valid but cannot be carried out, for the reason in the message. Exit status 1. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
