/** Who signs people in for us: the identity provider, and the code host. */
export type ProviderName = 'idp' | 'codehost'

/** Why a sign-in came to nothing; behind `Idp` or `Codehost` it is the error that the login page is told. */
export type SignInFailure =
  | 'NotConfigured'
  | 'AuthFailed'
  | 'TokenFailed'
  | 'NoEmail'
  | 'AuthError'
  | 'Disabled'
  /** Of new accounts from one address. */
  | 'TooMany'

export class SignInFailed extends Error {
  readonly failure: SignInFailure

  constructor(failure: SignInFailure, cause?: unknown) {
    super(`sign-in failed: ${failure}`, { cause })
    this.name = 'SignInFailed'
    this.failure = failure
  }
}

/** What a browser must bring back from the provider: contract.md 2. It is the browser's secret. */
export interface PendingSignIn {
  state: string
  /** Absent for a provider without ID tokens. */
  nonce?: string | undefined
  /** PKCE's code verifier (RFC 7636). */
  verifier: string
}

/** Who the provider says has signed in. */
export interface ProviderProfile {
  /** The provider's own id of the person, which never changes. */
  subject: string
  /** In lower case; the provider vouches that it is theirs. */
  email: string
  name: string
  refreshToken?: string | undefined
}

/** One provider's side of a sign-in. */
export interface SignInProvider {
  name: ProviderName
  /** As people know it: its host. */
  label: string
  /** Where to send the browser, and what must come back with it. */
  begin(): Promise<{ location: URL; pending: PendingSignIn }>
  /**
   * Takes the provider's answer.
   * @param answer the callback's query, its state already checked
   * @throws SignInFailed
   */
  finish(answer: URLSearchParams, pending: PendingSignIn): Promise<ProviderProfile>
}
