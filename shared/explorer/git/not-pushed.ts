/** Why a push did not happen, in words for the caller: without an address and without a secret. */
export class NotPushed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotPushed'
  }
}
