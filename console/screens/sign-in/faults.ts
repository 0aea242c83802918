/** The meanings of `/login?error=`: contract.md 2. */
const signInFaults: Readonly<Record<string, string>> = {
  VerifyFailed: 'That link to verify your email is no longer good. Sign in to be sent another one.',
  IdpNotConfigured: 'Signing in by the identity provider is not set up here.',
  IdpAuthFailed: 'The identity provider did not sign you in. Try again, or use your password.',
  IdpTokenFailed: 'The identity provider could not be reached for a moment. Try again.',
  IdpNoEmail: 'The identity provider gave no verified email address, so no account could be found.',
  IdpAuthError: 'Something went wrong while the identity provider signed you in. Try again.',
  IdpDisabled:
    'The identity provider has switched off sign-in for your account. Use your password.',
  IdpTooMany: 'Too many accounts were made from your network just now. Try again in a minute.',
  CodehostTooMany: 'Too many accounts were made from your network just now. Try again in a minute.',
  CodehostNotConfigured: 'Signing in by the code host is not set up here.',
  CodehostAuthFailed: 'The code host did not sign you in. Try again, or use your password.',
  CodehostTokenFailed: 'The code host could not be reached for a moment. Try again.',
  CodehostNoEmail: 'The code host gave no verified email address, so no account could be found.',
  CodehostAuthError: 'Something went wrong while the code host signed you in. Try again.',
}

/** Returns the message of an error code of the sign-in page. */
export function signInFault(code: string): string {
  return signInFaults[code] ?? 'Signing in did not work. Try again, or use your password.'
}
