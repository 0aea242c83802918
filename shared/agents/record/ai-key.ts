import { profileKey } from '#shared/accounts/users/user.ts'
import { equalInConstantTime, hmacSha256, sha256Hex, toHex } from '#shared/platform/crypto.ts'
import type { AgentIdentity } from '#shared/platform/identity/actor.ts'
import { idPattern } from '#shared/platform/ids.ts'
import type { Key, Table } from '#shared/platform/table/port.ts'
import { platformOwner, userPartition } from '#shared/platform/table/user-store.ts'
import { type Agent, agentKey, type AgentRef, liveTasks, ownerOf } from './agent.ts'
import { agentRows, aiKeyRows } from './rows.ts'

/**
 * The digits, the agent's id and the owner's id. Limits the length, so that an invalid key does not reach the table.
 */
const form = new RegExp(
  String.raw`^ak_[0-9a-f]{64}\.(${idPattern(agentRows.id)})\.([A-Za-z0-9_@][A-Za-z0-9_.:@-]{0,127})$`,
)

/**
 * Derives the key for model calls of one generation's container: `ak_`, 64 hex digits, and the ids of agent and owner.
 * A retried start derives the same key. The ids in the key allow one read to find its row, the agent and the owner;
 * they are only trusted if the row contains them, too.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 */
export async function agentAiKey(
  encryptionKey: string,
  agent: Pick<Agent, 'id' | 'userId'>,
  generation: number,
): Promise<string> {
  const digits = toHex(await hmacSha256(encryptionKey, `ai:${agent.id}:${generation}`))
  return `ak_${digits}.${agent.id}.${ownerOf(agent)}`
}

/**
 * Returns the guard's lookup of an AI key's agent, with one read. Stopping an agent deletes its key.
 * @param beside the key of another row of the agent, which is read in the same request
 */
export function agentKeyIdentity(table: Table, beside?: (agent: AgentRef) => Key) {
  return async (key: string): Promise<AgentIdentity | undefined> => {
    const [, agentId, owner] = form.exec(key) ?? []
    if (agentId === undefined || owner === undefined) return undefined
    const userId = owner === platformOwner ? null : owner
    const [row, agent, profile, further] = await table.getMany([
      aiKeyRows.key({ hash: await sha256Hex(key) }),
      agentKey({ userId, agentId }),
      { pk: userPartition(owner), sk: profileKey },
      ...(beside === undefined ? [] : [beside({ userId, agentId })]),
    ])
    if (row === undefined) return undefined
    const holder = aiKeyRows.parse(row)
    if (holder.agentId !== agentId || holder.userId !== userId) return undefined
    const { generation } = holder
    return { agentId, userId, generation, rows: { agent, owner: profile, beside: further } }
  }
}

/**
 * Returns the guard's lookup of a container's agent by its AI key, for what a container does until its task has ended.
 * A stop deletes the row of the key immediately, so the key is compared with the derived keys instead: of the current
 * generation, and of the one before, whose task may not have ended yet.
 * @param encryptionKey WALLET_ENCRYPTION_KEY; without it no key is accepted
 */
export function containerKeyIdentity(table: Table, encryptionKey: string | undefined) {
  return async (key: string): Promise<AgentIdentity | undefined> => {
    const [, agentId, owner] = form.exec(key) ?? []
    if (agentId === undefined || owner === undefined || encryptionKey === undefined)
      return undefined
    const userId = owner === platformOwner ? null : owner
    const item = await table.get(agentKey({ userId, agentId }))
    const agent = item && agentRows.parse(item)
    if (agent === undefined || agent.deleting) return undefined
    const isActive = agent.aiKeyHash !== undefined || liveTasks(agent).length > 0
    for (const generation of isActive ? [agent.generation, agent.generation - 1] : []) {
      const expected = await agentAiKey(encryptionKey, { id: agentId, userId }, generation)
      if (await equalInConstantTime(key, expected))
        return { agentId, userId, generation, rows: { agent: item, owner: undefined } }
    }
    return undefined
  }
}
