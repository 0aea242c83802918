/** The sign-in providers: the identity provider and the code host. */
export type ProviderName = 'idp' | 'codehost'

/** The reason for a failed sign-in. The login page receives it with the prefix `Idp` or `Codehost`. */
export type SignInFailure =
  | 'NotConfigured'
  | 'AuthFailed'
  | 'TokenFailed'
  | 'NoEmail'
  | 'AuthError'
  | 'Disabled'
  /** Too many new accounts from one address. */
  | 'TooMany'

export class SignInFailed extends Error {
  readonly failure: SignInFailure

  constructor(failure: SignInFailure, cause?: unknown) {
    super(`sign-in failed: ${failure}`, { cause })
    this.name = 'SignInFailed'
    this.failure = failure
  }
}

/**
 * The state of a sign-in that the browser must return from the provider: contract.md 2. Only the browser may have it.
 */
export interface PendingSignIn {
  state: string
  /** Absent for a provider without ID tokens. */
  nonce?: string | undefined
  /** PKCE's code verifier (RFC 7636). */
  verifier: string
}

/** The person who has signed in, as the provider describes them. */
export interface ProviderProfile {
  /** The provider's own id of the person; it never changes. */
  subject: string
  /** In lower case; verified by the provider. */
  email: string
  name: string
  refreshToken?: string | undefined
}

/** A provider that users can sign in with. */
export interface SignInProvider {
  name: ProviderName
  /** The provider's host, which users recognize. */
  label: string
  /** Returns the redirect for the browser, and the state that the browser must return. */
  begin(): Promise<{ location: URL; pending: PendingSignIn }>
  /**
   * Handles the provider's answer.
   * @param answer the callback's query; its state is already verified
   * @throws SignInFailed
   */
  finish(answer: URLSearchParams, pending: PendingSignIn): Promise<ProviderProfile>
}
