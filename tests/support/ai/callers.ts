import { newSecret } from '#shared/accounts/keys/secret.ts'
import { keyRowKey } from '#shared/accounts/users/api-key.ts'
import { newUser, type User } from '#shared/accounts/users/user.ts'
import { type AgentConfig, aiKeyKey } from '#shared/agents/record/agent.ts'
import { agentAiKey } from '#shared/agents/record/ai-key.ts'
import type { PlanName } from '#shared/money/plans/plans.ts'
import type { SubscriptionStatus } from '#shared/money/plans/subscriptions.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import type { KeyLimits } from '#shared/platform/identity/actor.ts'
import { newId } from '#shared/platform/ids.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { putAgent } from '../agents/agent-rows.ts'

export interface Owner {
  plan: string
  status: SubscriptionStatus
  email?: string
  emailVerified?: boolean
  spendCapUsd?: number
  spendCapUsdPerDay?: number
  useCredits?: boolean
  byok?: NonNullable<User['byok']>
  telemetry?: NonNullable<User['telemetry']>
}

export const solo: Owner = { plan: 'solo', status: 'active' }

/**
 * Stores a user's account.
 * @returns the user's id
 */
export async function accountOf(table: Table, owner: Owner, userId: string = newId('usr')) {
  const { plan, status, ...rest } = owner
  await table.put({
    pk: userPartition(userId),
    sk: 'profile',
    ...newUser({
      id: userId,
      email: 'o@example.com',
      emailVerified: true,
      name: 'O',
      referralCode: 'R',
      plan,
      subscription: { id: 'sub', status, customerId: null },
      ...rest,
    }),
  })
  return userId
}

/** Stores a user's account with an API key. */
export async function keyHolder(
  table: Table,
  owner: Owner,
  { limits, userId: known }: { limits?: KeyLimits | undefined; userId?: string } = {},
) {
  const userId = known ?? (await accountOf(table, owner))
  const secret = newSecret(userId)
  const keyId = newId('key')
  const row = { pk: userPartition(userId), sk: keyRowKey(await sha256Hex(secret)) }
  const fields = { id: keyId, name: 'k', keyPreview: '', hash: '', createdAt: '' }
  await table.put({ ...row, ...fields, ...(limits && { limits }) })
  return {
    userId,
    keyId,
    headers: { authorization: `Bearer ${secret}` },
    remove: () => table.delete(row),
    change: (changed: KeyLimits | undefined) =>
      table.update(row, changed ? { set: { limits: changed } } : { remove: ['limits'] }),
  }
}

/** Stores an agent with a key, and its owner's account if it has an owner. */
export async function agentCaller(
  table: Table,
  owner: Owner | 'no account' | 'platform',
  {
    plan = 'label',
    config = {},
    userId: known,
  }: {
    plan?: string
    config?: AgentConfig
    /** An owner that has an account already. */
    userId?: string
  } = {},
) {
  const userId = owner === 'platform' ? null : (known ?? newId('usr'))
  if (userId !== null && userId !== known && typeof owner === 'object')
    await accountOf(table, owner, userId)
  const { id: agentId } = await putAgent(table, userId, { plan: plan as PlanName, config })
  const key = await agentAiKey('an encryption key', { id: agentId, userId }, 1)
  const row = aiKeyKey(await sha256Hex(key))
  await table.put({ ...row, agentId, userId, generation: 1 })
  return {
    userId,
    agentId,
    key,
    headers: { authorization: `Bearer ${key}` },
    revoke: () => table.delete(row),
  }
}
