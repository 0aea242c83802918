import { randomUUID } from 'node:crypto'
import { type Wallet } from 'ethers'
import { canonicalize } from 'json-canonicalize'
import { routes } from '#functions/backend/bus.ts'
import type { Services as BusServices } from '#functions/backend/bus.ts'
import { newUser } from '#shared/accounts/users/user.ts'
import { type Agent, aiKeyKey } from '#shared/agents/record/agent.ts'
import { agentAiKey, agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import { createApp } from '#shared/http/app.ts'
import type { AgentMessage } from '#shared/money/agent-message/message.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { newWallet } from '../accounts/new-wallet.ts'
import { putAgent } from '../agents/agent-rows.ts'
import { encryptionKey } from '../conversations/chat.ts'
import { lostQueues } from '../platform/context.ts'

/** An agent with its verified wallet. */
export interface Signer {
  agent: Agent
  wallet: Pick<Wallet, 'address' | 'signMessage'>
}

/** A response of the bus's routes, of any kind. */
export interface BusAnswer {
  error: string
  code: string
  messageId: string
  messages: { message: AgentMessage; receivedAt: string }[]
  count: number
}

export interface BusCall {
  body?: unknown
  /** Sent as the body without JSON encoding. */
  text?: string
  headers?: Record<string, string>
  /** The bearer token. */
  key?: string
}

let users = 0

const noSigner: BusServices['signer'] = {
  createWallet: () => Promise.reject(new Error('unexpected signature')),
  signMessage: () => Promise.reject(new Error('unexpected signature')),
}

/** Calls the bus over a table, as agents and trusted callers do. */
export function busCaller(
  table: Table,
  services: Partial<BusServices> = {},
  limits: 'on' | 'off' = 'off',
) {
  const app = createApp<BusServices>({
    surface: 'backend',
    name: 'backend-bus',
    routes,
    services: {
      table,
      config: {
        ADMIN_EMAILS: ['admin@b.co'],
        KILL_SWITCH: false,
        deployed: false,
        WALLET_ENCRYPTION_KEY: encryptionKey,
      },
      guard: { deployed: false },
      queues: lostQueues,
      signer: noSigner,
      negotiations: {},
      ...services,
    },
    settings: { RATE_LIMITS: limits, INTERNAL_API_KEY: 'internal-key' },
    identity: { agentKey: agentKeyIdentity(table) },
    table,
  })

  async function call(method: string, path: string, { body, text, headers, key }: BusCall = {}) {
    const payload = body === undefined ? text : JSON.stringify(body)
    const answer = await app.request(`/api/underground/bus${path}`, {
      method,
      headers: {
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
    })
    return { status: answer.status, body: (await answer.json()) as BusAnswer }
  }

  const owner = (userId: string, { plan = 'solo', status = 'active', email = `${userId}@b.co` }) =>
    newUser({
      id: userId,
      email,
      emailVerified: true,
      name: userId,
      plan,
      subscription: { id: null, status: status as 'active', customerId: null },
      referralCode: userId,
    })

  const inbox = (agentId: string, query = '', key = 'internal-key') =>
    call('GET', `/inbox?agentId=${agentId}${query}`, { key })

  return {
    table,
    /** The app's fetch, for a server. */
    fetch: app.fetch,
    call,
    send: (message: unknown) => call('POST', '/send', { body: message }),
    inbox,
    /** Returns the messages in an agent's inbox. */
    inboxOf: async ({ agent }: Pick<Signer, 'agent'>) => (await inbox(agent.id)).body.messages,

    /** Creates a user with a plan. */
    async subscriber(account: { plan?: string; status?: string; email?: string } = {}) {
      const userId = `usr_bus${++users}`
      await userStore(table, userId).put('profile', { ...owner(userId, account) })
      return userId
    },

    /** Creates an agent with a verified wallet. */
    async signer(userId: string | null, fields: Partial<Agent> = {}): Promise<Signer> {
      const wallet = newWallet()
      const verification = {
        type: 'coinbase' as const,
        attestationUid: null,
        verifierAddress: wallet.address,
        verifiedAt: new Date().toISOString(),
        metadata: null,
      }
      return { agent: await putAgent(table, userId, { verification, ...fields }), wallet }
    },

    /** Creates a valid key of an agent's container. */
    async agentKey({ id, userId }: Agent): Promise<string> {
      const key = await agentAiKey(encryptionKey, { id, userId }, 1)
      await table.put({ ...aiKeyKey(await sha256Hex(key)), agentId: id, userId, generation: 1 })
      return key
    },
  }
}

export type Bus = ReturnType<typeof busCaller>

/** The fields of a message that its sender sets. */
export type Unsigned = Pick<
  AgentMessage,
  'messageId' | 'timestamp' | 'from' | 'to' | 'action' | 'payload' | 'metadata'
>

/** Returns an unsigned message from one agent to another. */
export function message(
  from: Signer,
  to: Agent | string,
  fields: Record<string, unknown> = {},
): Unsigned {
  return {
    messageId: randomUUID(),
    timestamp: new Date().toISOString(),
    from: { agentId: from.agent.id, walletAddress: from.wallet.address },
    to: { agentId: typeof to === 'string' ? to : to.id },
    action: 'GREET',
    payload: { text: 'hello' },
    ...fields,
  }
}

/**
 * Signs a message as an independent client would: with another implementation of canonical JSON, and another wallet
 * library.
 */
export async function sign<M extends object>(
  { wallet }: Pick<Signer, 'wallet'>,
  unsigned: M,
): Promise<M & { signature: string }> {
  const { metadata: _, ...signed } = unsigned as M & { metadata?: unknown }
  return { ...unsigned, signature: await wallet.signMessage(canonicalize(signed)) }
}

/** Returns a signed message. */
export const signed = async (
  from: Signer,
  to: Agent | string,
  fields: Record<string, unknown> = {},
) => sign(from, message(from, to, fields))
