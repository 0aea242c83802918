import { batch, signal } from '@preact/signals'
import { AuthenticationError } from '../../clients/typescript/core/errors.ts'
import { forgetEarly } from './early.ts'
import { storeForms } from './form-storage.ts'
import { platform, PlatformError } from './platform.ts'
import { loadOutsidePage, go, signInPath } from './router.ts'

export interface User {
  id: string
  name: string
  email: string
  isAdmin: boolean
}

/** The signed-in user. Null if signed out, undefined before it is loaded. */
export const user = signal<User | null | undefined>(undefined)

/** Loads the signed-in user. */
export async function loadSession(): Promise<void> {
  user.value = await whoIsThere()
}

/** Starts a session: updates the user and the path in one step. */
export async function enter(to: string): Promise<void> {
  const found = await whoIsThere()
  if (found !== null && loadOutsidePage(to)) return
  batch(() => {
    user.value = found
    if (found !== null) go(to, { replace: true })
  })
}

/** The time of the last session check, by the page's clock. */
let askedAt = Number.NEGATIVE_INFINITY

/** @throws AuthenticationError if the session has ended. Skips the check if the last one was a moment ago. */
export async function checkSession(signal: AbortSignal): Promise<void> {
  if (performance.now() - askedAt < 5000) return
  const found = await platform.auth.session({ signal })
  askedAt = performance.now()
  if (found === null) throw new AuthenticationError('Your session has ended', { status: 401 })
}

async function whoIsThere(): Promise<User | null> {
  askedAt = performance.now()
  const found = await platform.auth.session()
  if (found === null) forgetEarly()
  return found
}

/** Ends the session. Back then leads to the sign-in page. */
export async function signOut(): Promise<void> {
  await platform.auth.signOut()
  // The next person at this tab must not see its data, such as drafts.
  sessionStorage.clear()
  leave('/login')
}

/** Clears the user. */
export function leave(to: string): void {
  batch(() => {
    user.value = null
    go(to, { replace: true })
  })
}

/** Redirects to the sign-in page if the error means that the session has ended. */
export function leaveIfSignedOut(error: unknown): void {
  if (!(error instanceof PlatformError) || error.status !== 401) return
  if (!user.value) return
  void leaveAfterKeeping(user.value.id)
}

async function leaveAfterKeeping(userId: string): Promise<void> {
  await storeForms(userId)
  if (user.value) leave(signInPath())
}
