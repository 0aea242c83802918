/** The reason for a failed push, as text for the caller, without addresses or secrets. */
export class NotPushed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotPushed'
  }
}
