/** The wallet that a key is for: a sealed key opens for no other. */
export interface KeyPlace {
  agentId: string
  address: string
}

/** Keeps keys so that only the signer can read them. */
export interface KeySeals {
  seal(key: Uint8Array<ArrayBuffer>, place: KeyPlace): Promise<string>
  /** @throws Error where it was not sealed for this place, or by another key */
  open(sealed: string, place: KeyPlace): Promise<Uint8Array<ArrayBuffer>>
}
