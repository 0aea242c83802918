import { type ErrorKind, PlatformError } from '#shared/platform/errors.ts'

/** The codes of RFC 6749, 7591, 8628 and 8707 that this server uses. */
export type OAuthCode =
  | 'access_denied'
  | 'authorization_pending'
  | 'expired_token'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'slow_down'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'

/** An error in OAuth's form: RFC 6749, 5.2. */
export function oauthError(
  code: OAuthCode,
  message: string,
  kind: ErrorKind = 'bad-request',
): PlatformError {
  return new PlatformError(kind, message, { code })
}
