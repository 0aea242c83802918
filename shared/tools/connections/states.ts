/**
 * `pending` until its owner has signed in, `signed-out` after the authorization server refused to renew the sign-in,
 * `failed` if the server cannot be used.
 */
export const connectionStates = ['pending', 'connected', 'signed-out', 'failed'] as const
