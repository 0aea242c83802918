import type { Connection } from '../../../../clients/typescript/index.ts'

export const stateNames: Readonly<Record<Connection['state'], string>> = {
  pending: 'not signed in yet',
  connected: 'connected',
  'signed-out': 'signed out',
  failed: 'failed',
}

/** The states whose color is the color of an agent's state. */
export const stateColors: Readonly<Record<Connection['state'], string>> = {
  pending: 'pending',
  connected: 'running',
  'signed-out': 'error',
  failed: 'error',
}

/** The meanings of `?error=` after a sign-in at a server. */
const faults: Readonly<Record<string, string>> = {
  expired: 'The sign-in took too long, or was already finished. Sign in again.',
  session: 'The sign-in was begun in another browser or session. Sign in again.',
  issuer: 'Another server answered. Nothing was connected.',
  denied: 'The server did not grant access. Sign in again.',
  refused: 'The server refused to finish the sign-in. Sign in again.',
  tools: 'You are signed in, but the server did not list its tools. Read them again.',
}

/** Returns the message of an error code of a finished sign-in. */
export function signInFault(code: string): string {
  return faults[code] ?? 'The sign-in failed. Sign in again.'
}
