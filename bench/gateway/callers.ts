import { newSecret, previewOf } from '#shared/accounts/keys/secret.ts'
import { keyRowKey } from '#shared/accounts/users/api-key.ts'
import { newUser, profileKey } from '#shared/accounts/users/user.ts'
import type { PlanName } from '#shared/money/plans/plans.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { newId } from '#shared/platform/ids.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'

/** Subscribers with a key each. These callers cost the gateway most: a read for the key and a hold on a quota. */
export interface Callers {
  items: Item[]
  keys: string[]
}

export async function createCallers(count: number, plan: PlanName = 'label'): Promise<Callers> {
  const made = await Promise.all(Array.from({ length: count }, () => createCaller(plan)))
  return { items: made.flatMap(({ items }) => items), keys: made.map(({ key }) => key) }
}

async function createCaller(plan: PlanName): Promise<{ items: Item[]; key: string }> {
  const id = newId('usr')
  const key = newSecret(id)
  const pk = userPartition(id)
  const user = newUser({
    id,
    email: `${id}@example.com`,
    name: 'Bench',
    referralCode: '',
    plan,
    subscription: { id: 'sub_bench', status: 'active', customerId: null },
  })
  const row = {
    id: newId('key'),
    name: 'bench',
    keyPreview: previewOf(key),
    hash: '',
    createdAt: user.createdAt,
  }
  const items = [
    { ...user, pk, sk: profileKey },
    { ...row, pk, sk: keyRowKey(await sha256Hex(key)) },
  ]
  return { items, key }
}

/** The behaviour of the provider, which the request's text selects. */
export type Kind = 'fast' | 'slow' | 'held' | 'stream' | 'long'

/** The families whose answers are whole and streamed text. */
export type TextFamily = keyof typeof families

const instructions = 'You are a careful assistant that answers in full sentences.'
const user = (kind: Kind) => ({
  role: 'user',
  content: `What does the fox do, and why? bench:${kind}`,
})

/** The path of each family, and the same request in its form. */
const families = {
  chat: {
    path: '/v1/chat/completions',
    body: (kind: Kind) => ({
      messages: [{ role: 'system', content: instructions }, user(kind)],
      max_tokens: 512,
    }),
  },
  messages: {
    path: '/v1/messages',
    body: (kind: Kind) => ({ system: instructions, messages: [user(kind)], max_tokens: 512 }),
  },
  responses: {
    path: '/v1/responses',
    body: (kind: Kind) => ({ instructions, input: [user(kind)], max_output_tokens: 512 }),
  },
}

/** Returns a request of 0.25 KB in wire format. */
export function requestText(
  key: string,
  kind: Kind,
  headers: Record<string, string> = {},
  family: TextFamily = 'chat',
): string {
  const { path, body: bodyOf } = families[family]
  const body = JSON.stringify({
    model: 'openai/gpt-6-luna',
    ...bodyOf(kind),
    temperature: 0.7,
    ...((kind === 'stream' || kind === 'long') && { stream: true }),
  })
  const all = {
    host: '127.0.0.1',
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}
