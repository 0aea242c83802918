import * as z from 'zod'
import { equalInConstantTime } from '#shared/platform/crypto.ts'
import type { Sealer } from '#shared/platform/seal.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import type { PendingSignIn, ProviderName } from './provider.ts'

/** The validity of a sign-in in seconds: the person must return from the provider before it expires. */
export const pendingSeconds = 600

/** Longer paths are dropped: browsers limit a cookie to 4,096 bytes. */
const longestNext = 1024

/** A sign-in in progress, with the page to open afterwards. */
export interface StoredSignIn extends PendingSignIn {
  /** The page as the sign-in request contained it; the sign-in page validates it. */
  next?: string | undefined
}

const sealedPending = z.object({
  state: z.string(),
  nonce: z.string().optional(),
  verifier: z.string(),
  next: z.string().optional(),
  /** Epoch seconds. */
  expiresAt: z.number(),
})

/** Seals a sign-in in progress for the browser's cookie: the browser can neither read nor forge it. */
export async function sealPending(
  sealer: Sealer,
  provider: ProviderName,
  pending: StoredSignIn,
): Promise<string> {
  const expiresAt = epochSeconds() + pendingSeconds
  const { next, ...rest } = pending
  const stored = next !== undefined && next.length <= longestNext ? { ...rest, next } : rest
  return sealer.seal(JSON.stringify({ ...stored, expiresAt }), place(provider))
}

/** Opens the cookie; undefined if it is forged, of another provider or expired. */
export async function openPending(
  sealer: Sealer,
  provider: ProviderName,
  sealed: string,
): Promise<StoredSignIn | undefined> {
  const text = await sealer.open(sealed, place(provider))
  if (text === undefined) return undefined
  const { expiresAt, ...pending } = sealedPending.parse(JSON.parse(text))
  return expiresAt * 1000 > Date.now() ? pending : undefined
}

/** Returns whether a callback is a successful answer to the sign-in that the browser began. */
export async function isAnswerTo(
  answer: URLSearchParams,
  { state }: PendingSignIn,
): Promise<boolean> {
  if (!answer.get('code') || answer.has('error')) return false
  return equalInConstantTime(answer.get('state') ?? '', state)
}

function place(provider: ProviderName): string {
  return `cookie:sign-in:${provider}`
}
