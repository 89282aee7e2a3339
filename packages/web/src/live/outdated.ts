/** The server has sent something that this page does not know, because it was upgraded after the page was loaded. */
export class OutdatedPage extends Error {
  override readonly name = 'OutdatedPage';

  constructor(what: string) {
    super(`The server is newer than this page, which does not know ${what}.`);
  }
}
