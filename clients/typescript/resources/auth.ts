import { Resource } from './resource.ts'

/** Signing in by the code host. */
export class Codehost extends Resource {
  /** Go to the code host to sign in */
  begin = this.opWithQuery('GET /api/auth/github')

  /** Take the code host’s answer and begin a session */
  finish = this.op('GET /api/auth/github/callback')
}

/** Signing in by the identity provider. */
export class IdentityProvider extends Resource {
  /** Go to the identity provider to sign in */
  begin = this.opWithQuery('GET /api/auth/idp')

  /** Take the identity provider’s answer and begin a session */
  finish = this.op('GET /api/auth/idp/callback')
}

/** Proofs of Farcaster accounts. */
export class Farcaster extends Resource {
  /** How session tokens are exchanged */
  describeRefresh = this.op('GET /api/auth/farcaster/refresh')

  /** Exchange a session token that still holds for a new one */
  refresh = this.opWithBody('POST /api/auth/farcaster/refresh')

  /** What proves a Farcaster account here */
  describe = this.op('GET /api/auth/farcaster/verify')

  /** Prove a Farcaster account */
  verify = this.opWithBody('POST /api/auth/farcaster/verify')
}

/** Proofs that a wallet holds a token. */
export class TokenGating extends Resource {
  /** What proves that a wallet holds a token */
  describe = this.op('GET /api/auth/token-gating/verify')

  /** Prove that a wallet holds a token */
  verify = this.opWithBody('POST /api/auth/token-gating/verify')
}

/** Signing in by a wallet. */
export class WalletSignIn extends Resource {
  /** A nonce for one message to sign, valid for 10 minutes */
  nonce = this.op('GET /api/auth/nonce')

  /** A nonce for one message to sign, valid for 10 minutes */
  createNonce = this.op('POST /api/auth/nonce')

  /** Sign in by a wallet’s signature (Sign-In with Ethereum) */
  signIn = this.opWithBody('POST /api/wallet-auth')
}

/** Signing in and out. */
export class Auth extends Resource {
  readonly codehost = new Codehost(this.client)
  readonly idp = new IdentityProvider(this.client)
  readonly farcaster = new Farcaster(this.client)
  readonly tokenGating = new TokenGating(this.client)
  readonly wallet = new WalletSignIn(this.client)

  /** The token that requests from another site must carry */
  csrfToken = this.op('GET /api/auth/csrf')

  /** Ask for a link that sets a new password */
  forgotPassword = this.opWithBody('POST /api/auth/forgot-password')

  /** Sign in by email and password */
  signIn = this.opWithBody('POST /api/auth/login')

  /** Set a new password by the link that was mailed */
  resetPassword = this.opWithBody('POST /api/auth/reset-password')

  /** Where the caller is signed in, newest first */
  listSessions = this.op('GET /api/auth/sessions', 'sessions')

  /** End one of the caller’s sessions */
  endSession = this.op('DELETE /api/auth/sessions/{id}')

  /** Who is signed in, if anyone */
  session = this.op('GET /api/auth/session', 'user')

  /** End the session, if there is one */
  signOut = this.op('POST /api/auth/signout')

  /** Confirm an email address by the link that was sent to it, where its account is signed in */
  openVerificationLink = this.opWithQuery('GET /api/auth/verify-email')

  /** Confirm an email address by its link’s token and the account’s password or session */
  verifyEmail = this.opWithBody('POST /api/auth/verify-email')

  /** Make a user */
  register = this.opWithBody('POST /api/register')
}
