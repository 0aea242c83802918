import type { RequestOptions } from '../core/options.ts'
import type { BodyOf, QueryOf } from '../core/request.ts'
import { Resource } from './resource.ts'

/** Signing in by the code host. */
export class Codehost extends Resource {
  /** Go to the code host to sign in */
  begin(options?: RequestOptions) {
    return this.client.call('GET /api/auth/github', {}, options)
  }

  /** Take the code host’s answer and begin a session */
  finish(options?: RequestOptions) {
    return this.client.call('GET /api/auth/github/callback', {}, options)
  }
}

/** Signing in by the identity provider. */
export class IdentityProvider extends Resource {
  /** Go to the identity provider to sign in */
  begin(options?: RequestOptions) {
    return this.client.call('GET /api/auth/idp', {}, options)
  }

  /** Take the identity provider’s answer and begin a session */
  finish(options?: RequestOptions) {
    return this.client.call('GET /api/auth/idp/callback', {}, options)
  }
}

/** Proofs of Farcaster accounts. */
export class Farcaster extends Resource {
  /** How session tokens are exchanged */
  describeRefresh(options?: RequestOptions) {
    return this.client.call('GET /api/auth/farcaster/refresh', {}, options)
  }

  /** Exchange a session token that still holds for a new one */
  refresh(body: BodyOf<'POST /api/auth/farcaster/refresh'>, options?: RequestOptions) {
    return this.client.call('POST /api/auth/farcaster/refresh', { body }, options)
  }

  /** What proves a Farcaster account here */
  describe(options?: RequestOptions) {
    return this.client.call('GET /api/auth/farcaster/verify', {}, options)
  }

  /** Prove a Farcaster account */
  verify(body: BodyOf<'POST /api/auth/farcaster/verify'>, options?: RequestOptions) {
    return this.client.call('POST /api/auth/farcaster/verify', { body }, options)
  }
}

/** Proofs that a wallet holds a token. */
export class TokenGating extends Resource {
  /** What proves that a wallet holds a token */
  describe(options?: RequestOptions) {
    return this.client.call('GET /api/auth/token-gating/verify', {}, options)
  }

  /** Prove that a wallet holds a token */
  verify(body: BodyOf<'POST /api/auth/token-gating/verify'>, options?: RequestOptions) {
    return this.client.call('POST /api/auth/token-gating/verify', { body }, options)
  }
}

/** Signing in by a wallet. */
export class WalletSignIn extends Resource {
  /** A nonce for one message to sign, valid for 10 minutes */
  nonce(options?: RequestOptions) {
    return this.client.call('GET /api/auth/nonce', {}, options)
  }

  /** A nonce for one message to sign, valid for 10 minutes */
  createNonce(options?: RequestOptions) {
    return this.client.call('POST /api/auth/nonce', {}, options)
  }

  /** Sign in by a wallet’s signature (Sign-In with Ethereum) */
  signIn(body: BodyOf<'POST /api/wallet-auth'>, options?: RequestOptions) {
    return this.client.call('POST /api/wallet-auth', { body }, options)
  }
}

/** Signing in and out. */
export class Auth extends Resource {
  readonly codehost = new Codehost(this.client)
  readonly idp = new IdentityProvider(this.client)
  readonly farcaster = new Farcaster(this.client)
  readonly tokenGating = new TokenGating(this.client)
  readonly wallet = new WalletSignIn(this.client)

  /** The token that requests from another site must carry */
  csrfToken(options?: RequestOptions) {
    return this.client.call('GET /api/auth/csrf', {}, options)
  }

  /** Ask for a link that sets a new password */
  forgotPassword(body: BodyOf<'POST /api/auth/forgot-password'>, options?: RequestOptions) {
    return this.client.call('POST /api/auth/forgot-password', { body }, options)
  }

  /** Sign in by email and password */
  signIn(body: BodyOf<'POST /api/auth/login'>, options?: RequestOptions) {
    return this.client.call('POST /api/auth/login', { body }, options)
  }

  /** Set a new password by the link that was mailed */
  resetPassword(body: BodyOf<'POST /api/auth/reset-password'>, options?: RequestOptions) {
    return this.client.call('POST /api/auth/reset-password', { body }, options)
  }

  /** Where the caller is signed in, newest first */
  listSessions(options?: RequestOptions) {
    return this.client.call('GET /api/auth/sessions', {}, options, 'sessions')
  }

  /** End one of the caller’s sessions */
  endSession(id: string, options?: RequestOptions) {
    return this.client.call('DELETE /api/auth/sessions/{id}', { params: { id } }, options)
  }

  /** Who is signed in, if anyone */
  session(options?: RequestOptions) {
    return this.client.call('GET /api/auth/session', {}, options, 'user')
  }

  /** End the session, if there is one */
  signOut(options?: RequestOptions) {
    return this.client.call('POST /api/auth/signout', {}, options)
  }

  /** Confirm an email address by the link that was sent to it, where its account is signed in */
  openVerificationLink(query?: QueryOf<'GET /api/auth/verify-email'>, options?: RequestOptions) {
    return this.client.call('GET /api/auth/verify-email', { query }, options)
  }

  /** Confirm an email address by its link’s token and the account’s password or session */
  verifyEmail(body: BodyOf<'POST /api/auth/verify-email'>, options?: RequestOptions) {
    return this.client.call('POST /api/auth/verify-email', { body }, options)
  }

  /** Make a user */
  register(body: BodyOf<'POST /api/register'>, options?: RequestOptions) {
    return this.client.call('POST /api/register', { body }, options)
  }
}
