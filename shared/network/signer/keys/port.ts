/** The wallet that a key belongs to. An encrypted key can only be decrypted for its wallet. */
export interface KeyPlace {
  agentId: string
  address: string
}

/** Encrypts keys so that only the signer can read them. */
export interface KeySeals {
  seal(key: Uint8Array<ArrayBuffer>, place: KeyPlace): Promise<string>
  /** @throws Error if it was encrypted for another wallet or with another key */
  open(sealed: string, place: KeyPlace): Promise<Uint8Array<ArrayBuffer>>
}

/** A capability of verbs that open wallet keys. Only the signer has it. */
export interface HasKeySeals {
  keys: KeySeals
}
