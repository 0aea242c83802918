/** The meanings of `/login?error=`: contract.md 2. */
const signInFaults: Readonly<Record<string, string>> = {
  VerifyFailed: 'This verification link has expired. Sign in to get a new one.',
  IdpNotConfigured: 'Sign-in with the identity provider is not configured.',
  IdpAuthFailed: 'The identity provider did not sign you in. Try again, or use your password.',
  IdpTokenFailed: 'The identity provider is temporarily unavailable. Try again.',
  IdpNoEmail:
    'The identity provider provided no verified email address, so no account could be found.',
  IdpAuthError: 'Something went wrong while the identity provider signed you in. Try again.',
  IdpDisabled: 'The identity provider has disabled sign-in for your account. Use your password.',
  IdpTooMany: 'Too many accounts were created from your network. Try again in a minute.',
  CodehostTooMany: 'Too many accounts were created from your network. Try again in a minute.',
  CodehostNotConfigured: 'Sign-in with the code host is not configured.',
  CodehostAuthFailed: 'The code host did not sign you in. Try again, or use your password.',
  CodehostTokenFailed: 'The code host is temporarily unavailable. Try again.',
  CodehostNoEmail:
    'The code host provided no verified email address, so no account could be found.',
  CodehostAuthError: 'Something went wrong while the code host signed you in. Try again.',
}

/** Returns the message of an error code of the sign-in page. */
export function signInFault(code: string): string {
  return signInFaults[code] ?? 'Sign-in failed. Try again, or use your password.'
}
