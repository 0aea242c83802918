import { createHash } from 'node:crypto'
import { once } from '#shared/platform/once.ts'
import type { Caller } from '../caller.ts'
import type { ModelCall } from '../completions/call.ts'

/** The longest name of a session that is used; the rest is ignored. */
const longest = 512

interface Sessions {
  caller: Pick<Caller, 'agentId' | 'userId'>
  /** The caller's `x-session-id` header. */
  header: string | null
  modelCall: Pick<ModelCall, 'messages' | 'session'>
}

/**
 * Returns a function that gives each provider a number above 0 and below 1. All calls of a conversation get the same
 * numbers in every process, so that they prefer the provider whose prompt cache has the conversation. The conversation
 * is the caller's word, or else the messages up to the first of the user, which later calls repeat.
 */
export function drawOf({ caller, header, modelCall }: Sessions): (provider: string) => number {
  const named = header || modelCall.session
  // Few calls have weights, and the messages of others are not read.
  const session = once(() => ({ name: named ? named.slice(0, longest) : openingOf(modelCall) }))
  return (provider) => {
    const { name } = session()
    if (name === undefined) return Math.random()
    const seed = JSON.stringify([caller.userId, caller.agentId, name])
    const bytes = createHash('sha256').update(seed).update(provider).digest()
    return (bytes.readUIntBE(0, 6) + 0.5) / 2 ** 48
  }
}

function openingOf({ messages }: Pick<ModelCall, 'messages'>): string | undefined {
  const all = messages()
  const first = all.findIndex(({ role }) => role === 'user')
  return all.length === 0 ? undefined : JSON.stringify(all.slice(0, first + 1 || 1))
}
