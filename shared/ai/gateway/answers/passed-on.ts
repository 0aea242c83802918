/** A whole answer that the caller gets as its provider sent it. */
export class PassedOn {
  readonly text: string
  readonly contentType: string

  constructor(text: string, contentType = 'application/json') {
    this.text = text
    this.contentType = contentType
  }
}
