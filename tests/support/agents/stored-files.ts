import { newUser } from '#shared/accounts/users/user.ts'
import { collectPacks } from '#shared/agents/files/collection/collect.ts'
import { usedPacks } from '#shared/agents/files/collection/mark.ts'
import { deleteFile } from '#shared/agents/files/delete.ts'
import { listFiles } from '#shared/agents/files/list.ts'
import { moveFile } from '#shared/agents/files/move.ts'
import { packsPrefix } from '#shared/agents/files/packs.ts'
import { putFile } from '#shared/agents/files/put.ts'
import { readFile } from '#shared/agents/files/read.ts'
import { fileRows } from '#shared/agents/files/rows.ts'
import { tickFiles } from '#shared/agents/files/tick.ts'
import { newId } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { memoryObjects } from '../platform/memory-objects.ts'
import { recorded } from '../platform/recorded-queues.ts'
import { putAgent } from './agent-rows.ts'

/** Creates a user with an agent, whose files are in memory. */
export async function storedFiles(table: Table) {
  let writesLeft = Infinity
  const { objects: packs, stored } = memoryObjects(() => {
    if (writesLeft-- <= 0) throw new Error('killed')
  })
  const owner = newId('usr')
  const user = newUser({ id: owner, email: `${owner}@b.co`, name: 'Ada', referralCode: owner })
  const subscription = { id: null, status: 'active' as const, customerId: null }
  await userStore(table, owner).put('profile', { ...user, plan: 'solo', subscription })
  const { id: agentId } = await putAgent(table, owner)
  const { queues, waiting } = recorded<{ userId: string; agentId: string }>()
  const contextOver = (over: Table) => ({
    table: over,
    packs,
    owner,
    queues,
    links: { to: async (key: string) => key },
    mailer: { send: async () => {} },
    webUrl: 'http://localhost:3000',
    adminEmails: [],
    encryptionKey: undefined,
    log: createLog({ function: 'test' }),
  })
  const ctx = contextOver(table)
  const bytesOf = (text: string) => new TextEncoder().encode(text)
  const row = () => fileRows.find(table, { userId: owner, agentId })
  return {
    ctx,
    owner,
    agentId,
    stored,
    waiting,
    row,
    contextOver,
    /** Lets the process die at a write to the object store. */
    dieAfter: (writes: number) => (writesLeft = writes),
    put: (path: string, text: string, by = ctx) =>
      putFile(by, { agentId, path, content: bytesOf(text), conditions: {} }),
    remove: (path: string, by = ctx) =>
      deleteFile(by, { agentId, path, recursive: true, conditions: {} }),
    move: (from: string, to: string, by = ctx) =>
      moveFile(by, { agentId, from, to, overwrite: true }),
    /** Returns the whole content: a text by path, and null for a folder. */
    async content(): Promise<Map<string, string | null>> {
      const all = new Map<string, string | null>()
      const waiting = ['']
      for (let path = waiting.pop(); path !== undefined; path = waiting.pop())
        for (const entry of (await listFiles(ctx, { agentId, path, limit: 1000 })).entries) {
          if (entry.type === 'folder') waiting.push(entry.path)
          const file = entry.type === 'file' && (await readFile(ctx, { agentId, path: entry.path }))
          const bytes = file && (await file.read(0, file.size))
          all.set(entry.path, bytes ? bytes.toString() : null)
        }
      return all
    },
    /** Collects at a time, by the tick. @returns the number of objects that are left */
    async collect(now: number): Promise<number> {
      await tickFiles(ctx, now)
      for (const message of waiting.splice(0))
        if (message.agentId === agentId) await collectPacks(ctx, message, now)
      return stored.size
    },
    /** Returns the ids of all stored packs that no root needs, and of all needed packs that are missing. */
    async unneeded(): Promise<{ unused: string[]; missing: string[] }> {
      const { used } = await usedPacks({ store: userStore(table, owner), packs }, agentId)
      const ids = [...stored.keys()].map((key) => key.slice(packsPrefix(agentId).length))
      return {
        unused: ids.filter((id) => !used.has(id)),
        missing: [...used].filter((id) => !ids.includes(id)),
      }
    },
  }
}

export type StoredFiles = Awaited<ReturnType<typeof storedFiles>>
