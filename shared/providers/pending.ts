import * as z from 'zod'
import { equalInConstantTime } from '../platform/crypto.ts'
import type { Sealer } from '../platform/seal.ts'
import type { PendingSignIn, ProviderName } from './provider.ts'

/** How long a person may take at the provider. */
export const pendingSeconds = 600

/** Longer ones are left out: a browser keeps 4,096 bytes of a cookie. */
const longestNext = 1024

/** A sign-in that was begun, with where the person wants to be afterwards. */
export interface KeptSignIn extends PendingSignIn {
  /** As the page that began it was given it; the sign-in page judges whether it leads there. */
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

/** What a browser keeps of a sign-in that it began; it can neither read nor make it. */
export async function sealPending(
  sealer: Sealer,
  provider: ProviderName,
  pending: KeptSignIn,
): Promise<string> {
  const expiresAt = Math.floor(Date.now() / 1000) + pendingSeconds
  const { next, ...rest } = pending
  const kept = next !== undefined && next.length <= longestNext ? { ...rest, next } : rest
  return sealer.seal(JSON.stringify({ ...kept, expiresAt }), place(provider))
}

/** What a browser kept, undefined where that is nothing of ours, of another provider's, or too old. */
export async function openPending(
  sealer: Sealer,
  provider: ProviderName,
  kept: string,
): Promise<KeptSignIn | undefined> {
  const text = await sealer.open(kept, place(provider))
  if (text === undefined) return undefined
  const { expiresAt, ...pending } = sealedPending.parse(JSON.parse(text))
  return expiresAt * 1000 > Date.now() ? pending : undefined
}

/** Returns whether a callback answers the sign-in that the browser began, and not with a refusal. */
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
