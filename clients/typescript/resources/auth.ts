import { Resource } from './resource.ts'

/** Sign-in with the code host. */
export class Codehost extends Resource {
  /** Redirects to the code host to sign in. */
  begin = this.opWithQuery('GET /api/auth/github')

  /** Handles the redirect back from the code host and creates a session. */
  finish = this.op('GET /api/auth/github/callback')
}

/** Sign-in with the identity provider. */
export class IdentityProvider extends Resource {
  /** Redirects to the identity provider to sign in. */
  begin = this.opWithQuery('GET /api/auth/idp')

  /** Handles the redirect back from the identity provider and creates a session. */
  finish = this.op('GET /api/auth/idp/callback')
}

/** Proofs of Farcaster accounts. */
export class Farcaster extends Resource {
  /** Describes how to exchange session tokens. */
  describeRefresh = this.op('GET /api/auth/farcaster/refresh')

  /** Exchanges a valid session token for a new one. */
  refresh = this.opWithBody('POST /api/auth/farcaster/refresh')

  /** Describes how to verify a Farcaster account. */
  describe = this.op('GET /api/auth/farcaster/verify')

  /** Verifies a Farcaster account. */
  verify = this.opWithBody('POST /api/auth/farcaster/verify')
}

/** Proofs that a wallet holds a token. */
export class TokenGating extends Resource {
  /** Describes how to verify that a wallet holds a token. */
  describe = this.op('GET /api/auth/token-gating/verify')

  /** Verifies that a wallet holds a token. */
  verify = this.opWithBody('POST /api/auth/token-gating/verify')
}

/** Sign-in with a wallet. */
export class WalletSignIn extends Resource {
  /** Creates a nonce for one message to sign, valid for 10 minutes. */
  nonce = this.op('GET /api/auth/nonce')

  /** Creates a nonce for one message to sign, valid for 10 minutes. */
  createNonce = this.op('POST /api/auth/nonce')

  /** Signs in with the signature of a wallet (Sign-In with Ethereum). */
  signIn = this.opWithBody('POST /api/wallet-auth')
}

/** Sign-in with a password or a wallet, sign-out and sessions. */
export class SignIn extends Resource {
  readonly wallet = new WalletSignIn(this.client)

  /** Sends an email with a link that sets a new password. */
  forgotPassword = this.opWithBody('POST /api/auth/forgot-password')

  /** Signs in with email and password. */
  signIn = this.opWithBody('POST /api/auth/login')

  /** Sets a new password with the token of the emailed link. */
  resetPassword = this.opWithBody('POST /api/auth/reset-password')

  /** Lists the caller’s sessions, newest first. */
  listSessions = this.op('GET /api/auth/sessions', 'sessions')

  /** Ends one of the caller’s sessions. */
  endSession = this.op('DELETE /api/auth/sessions/{id}')

  /** Returns the signed-in user, or null. */
  session = this.op('GET /api/auth/session', 'user')

  /** Ends the current session, if there is one. */
  signOut = this.op('POST /api/auth/signout')

  /** Verifies an email address by the token of the emailed link and the account’s password or session. */
  verifyEmail = this.opWithBody('POST /api/auth/verify-email')

  /** Creates a user. */
  register = this.opWithBody('POST /api/register')
}

/** Sign-in in every way, sign-out and sessions. */
export class Auth extends SignIn {
  readonly codehost = new Codehost(this.client)
  readonly idp = new IdentityProvider(this.client)
  readonly farcaster = new Farcaster(this.client)
  readonly tokenGating = new TokenGating(this.client)

  /** Returns the CSRF token that requests from another site must carry. */
  csrfToken = this.op('GET /api/auth/csrf')

  /** Verifies an email address by the emailed link, if its account is signed in. */
  openVerificationLink = this.opWithQuery('GET /api/auth/verify-email')
}
