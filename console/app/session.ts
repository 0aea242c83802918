import { batch, signal } from '@preact/signals'
import { AuthenticationError } from '../../clients/typescript/index.ts'
import { forgetEarly } from './early.ts'
import { platform, PlatformError } from './platform.ts'
import { askedAnew, go, signInPath } from './router.ts'
import { keepWriting } from './written.ts'

export interface User {
  id: string
  name: string
  email: string
  isAdmin: boolean
}

/** Who is signed in; null without anyone, undefined until that is known. */
export const user = signal<User | null | undefined>(undefined)

/** Asks who is signed in. */
export async function loadSession(): Promise<void> {
  user.value = await whoIsThere()
}

/** Begins what the session opens: who is signed in and where they go change as one. */
export async function enter(to: string): Promise<void> {
  const found = await whoIsThere()
  if (found !== null && askedAnew(to)) return
  batch(() => {
    user.value = found
    if (found !== null) go(to, { replace: true })
  })
}

/** When the platform was last asked who is signed in, as the page's clock counts. */
let askedAt = Number.NEGATIVE_INFINITY

/** @throws AuthenticationError where the session has ended; what was asked a moment ago is not asked again */
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

/** Ends the session; Back then leads to what needs one, and so to the sign-in page. */
export async function signOut(): Promise<void> {
  await platform.auth.signOut()
  // What this tab remembers, drafts among it, is not for the next person at it.
  sessionStorage.clear()
  leave('/login')
}

/** Forgets who was signed in. */
export function leave(to: string): void {
  batch(() => {
    user.value = null
    go(to, { replace: true })
  })
}

/** Leads to the sign-in page where an error says that the session has ended. */
export function leaveIfSignedOut(error: unknown): void {
  if (!(error instanceof PlatformError) || error.status !== 401) return
  if (!user.value) return
  void leaveAfterKeeping(user.value.id)
}

async function leaveAfterKeeping(userId: string): Promise<void> {
  await keepWriting(userId)
  if (user.value) leave(signInPath())
}
