import { describe, expect, it } from 'vitest'
import { completionEvent } from '#shared/ai/usage/event.ts'
import { quotaKey } from '#shared/ai/usage/quota/row.ts'
import { rollupWrites } from '#shared/ai/usage/rollups.ts'
import { eventWrite } from '#shared/ai/usage/settle.ts'
import {
  anonymous,
  demoCaller,
  partOfBooks,
  partsByChance,
} from '#shared/ai/usage/shared-callers.ts'
import { newId } from '#shared/platform/ids.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { shardOf } from '#shared/platform/table/shard.ts'
import { platformOwner } from '#shared/platform/table/user-store.ts'
import { declaredEntities } from './entities.ts'
import { agents, busiestUser, type Rate, rates } from './traffic.ts'

/** Half of DynamoDB's limits for one partition (1,000 write units and 3,000 read units), per second. */
const most = { writes: 500, reads: 1500 }

interface Load {
  writes: number
  reads: number
}

type Kind = Pick<Awaited<ReturnType<typeof declaredEntities>>[number], 'gsi1' | 'name' | 'pk'>

/** The smallest number of shards in use. */
const fewestShards = 8

/** Returns the share of a kind's traffic that the busiest value of a partition key gets, by the key's template. */
function shareOf(template: string): number {
  const [, name] = /\{(\w+)\}/.exec(template) ?? []
  if (name === undefined) return 1
  if (name === 'userId') return busiestUser
  // A hash spreads ids slightly unevenly.
  if (name === 'shard') return 1.1 / fewestShards
  return 1 / agents
}

/** Returns the load per second of the busiest partition of each key, from all kinds of rows in it. */
function busiestPartitions(
  kinds: readonly Kind[],
  rateOf: (name: string) => Rate,
): Map<string, Load> {
  const loads = new Map<string, Load>()
  const count = (template: string, share: number, writes: number, reads: number) => {
    const load = loads.get(template) ?? { writes: 0, reads: 0 }
    loads.set(template, { writes: load.writes + share * writes, reads: load.reads + share * reads })
  }
  for (const { name, pk, gsi1 } of kinds) {
    const rate = rateOf(name)
    const { writes = 0, reads = 0, writeUnits = 1, readUnits = 1 } = rate
    count(pk, rate.busiest ?? shareOf(pk), writes * writeUnits, reads * readUnits)
    if (gsi1 === undefined) continue
    const { indexWrites = writes, indexReads = 0 } = rate
    // Reads of an index are never consistent, and cost half.
    count(gsi1.pk, shareOf(gsi1.pk), indexWrites * writeUnits, (indexReads * readUnits) / 2)
  }
  return loads
}

const tooHot = (loads: Map<string, Load>) =>
  [...loads].filter(([, { writes, reads }]) => writes > most.writes || reads > most.reads)

const kinds = await declaredEntities()

describe('with 100,000 agents', () => {
  it('the read and write rates of each kind of row are declared', () => {
    expect(Object.keys(rates).toSorted()).toEqual(kinds.map(({ name }) => name).toSorted())
  })

  it('no partition exceeds half of its limit', () => {
    expect(tooHot(busiestPartitions(kinds, (name) => rates[name] ?? {}))).toEqual([])
  })

  it('a single shared key would be detected', () => {
    const hot: Kind = { name: 'hot', pk: 'hot' }
    const loads = busiestPartitions([hot], () => ({ writes: 1000, reads: 1000 }))
    expect(tooHot(loads)).toEqual([['hot', { writes: 1000, reads: 1000 }]])
  })

  it('ids are distributed evenly over shards', () => {
    for (const shards of [8, 16]) {
      const counts = Array.from({ length: shards }, () => 0)
      for (let i = 0; i < agents; i++) counts[shardOf(newId('agt'), shards)]! += 1
      expect(Math.max(...counts) / agents).toBeLessThan(1.1 / shards)
    }
  })
})

/** Returns the writes per second of model calls by their real keys. */
function writesOfCalls(
  callers: readonly [userId: string, agentId: () => string | null, rate: number][],
) {
  const writes = new Map<string, number>()
  const count = ({ pk }: { pk: string }) => writes.set(pk, (writes.get(pk) ?? 0) + 2)
  const keyOf = (write: Write) =>
    'put' in write ? write.put : 'update' in write ? write.update : { pk: '' }
  for (const [userId, agentId, rate] of callers)
    for (let i = 0; i < rate; i++) {
      const event = completionEvent({
        userId,
        agentId: agentId(),
        model: 'a/b',
        provider: 'router',
        inputTokens: 1,
        outputTokens: 1,
        costUsd: 0,
        estimated: false,
        success: true,
        durationMs: 1,
        endpoint: '/v1/chat/completions',
      })
      const [part = 0] = partsByChance()
      const month = quotaKey(partOfBooks(userId, part), '2026-11')
      for (const key of [...[eventWrite(event), ...rollupWrites(event)].map(keyOf), month])
        count(key)
    }
  return writes
}

it('shared callers fill no partition, at 400 calls a second each', () => {
  const ofAgents = Array.from({ length: 1000 }, () => newId('agt'))
  const anAgent = () => ofAgents[Math.floor(Math.random() * ofAgents.length)] ?? null
  const writes = writesOfCalls([
    [anonymous, () => null, 400],
    [demoCaller.userId, () => demoCaller.agentId, 400],
    [platformOwner, anAgent, 400],
  ])
  expect(Math.max(...writes.values())).toBeLessThan(most.writes)
})
