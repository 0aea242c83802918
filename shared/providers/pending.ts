import * as z from 'zod'
import { equalInConstantTime } from '../platform/crypto.ts'
import type { Sealer } from '../platform/seal.ts'
import type { PendingSignIn, ProviderName } from './provider.ts'

/** How long a person may take at the provider. */
export const pendingSeconds = 600

const sealedPending = z.object({
  state: z.string(),
  nonce: z.string().optional(),
  verifier: z.string(),
  /** Epoch seconds. */
  expiresAt: z.number(),
})

/** What a browser keeps of a sign-in that it began; it can neither read nor make it. */
export async function sealPending(
  sealer: Sealer,
  provider: ProviderName,
  pending: PendingSignIn,
): Promise<string> {
  const expiresAt = Math.floor(Date.now() / 1000) + pendingSeconds
  return sealer.seal(JSON.stringify({ ...pending, expiresAt }), place(provider))
}

/** What a browser kept, undefined where that is nothing of ours, of another provider's, or too old. */
export async function openPending(
  sealer: Sealer,
  provider: ProviderName,
  kept: string,
): Promise<PendingSignIn | undefined> {
  const text = await sealer.open(kept, place(provider))
  if (text === undefined) return undefined
  const { expiresAt, ...pending } = sealedPending.parse(JSON.parse(text))
  return expiresAt * 1000 > Date.now() ? pending : undefined
}

/** Whether a callback answers the sign-in that the browser began, and not with a refusal. */
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
