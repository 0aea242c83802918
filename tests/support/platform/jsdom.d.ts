/** The package's own types include the browser's, which would replace Node's in the whole program. */
declare module 'jsdom' {
  export interface JsdomElement {
    textContent: string
    getAttribute(name: string): string | null
    querySelectorAll(selectors: string): Iterable<JsdomElement>
    cloneNode(deep: boolean): JsdomElement
    remove(): void
    before(text: string): void
    after(text: string): void
    prepend(text: string): void
    append(text: string): void
    localName: string
    namespaceURI: string
  }

  interface JsdomDocument extends JsdomElement {
    body: JsdomElement | null
    baseURI: string
  }

  export interface DOMParser {
    parseFromString(html: string, type: 'text/html'): JsdomDocument
  }

  export class JSDOM {
    constructor(html: string, options: { url: string })
    readonly window: {
      document: JsdomDocument
      DOMParser: new () => DOMParser
      close(): void
    }
  }
}
