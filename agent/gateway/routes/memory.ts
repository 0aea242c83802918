import { readJson } from '../http/body.ts'
import { sendJson } from '../http/exchange.ts'
import { invalid, notFound } from '../http/problem.ts'
import { readRevision } from '../http/revision.ts'
import type { Route } from '../http/router.ts'
import { Fence } from '../workspace/fence.ts'
import { noteLimit } from '../workspace/memory.ts'
import type { Memory } from '../workspace/memory.ts'
import { checkName } from '../workspace/names.ts'

/** What keeps the notes. */
export type Notes = Pick<Memory, 'list' | 'write' | 'remove' | 'reset'>

/** Memory notes: read all, write one, forget one, forget all. Changes with `?revision=` count in its order. */
export function memoryRoutes(memory: Notes): Route[] {
  const fence = new Fence()
  return [
    {
      method: 'GET',
      path: '/memory',
      handle: async (exchange) => {
        const notes = await memory.list()
        sendJson(exchange, 200, {
          memory: Object.fromEntries(notes.map(({ key, text }) => [key, text])),
          count: notes.length,
          lastUpdated: notes[0]?.updatedAt.toISOString() ?? null,
        })
      },
    },
    {
      method: 'PUT',
      path: '/memory/:key',
      handle: async (exchange) => {
        const { request } = exchange
        const key = checkName('key', exchange.params[0])
        const revision = readRevision(request.url)
        const { memory: text } = await readJson(request)
        if (typeof text !== 'string' || text.length > noteLimit) {
          throw invalid('memory', `memory must be a string of at most ${noteLimit} characters`)
        }
        await fence.change(key, revision, () => memory.write(key, text))
        sendJson(exchange, 200, { success: true, key })
      },
    },
    {
      method: 'DELETE',
      path: '/memory/:key',
      handle: async (exchange) => {
        const key = checkName('key', exchange.params[0])
        const revision = readRevision(exchange.request.url)
        const removed = await fence.change(key, revision, () => memory.remove(key))
        if (removed === false) throw notFound('Memory')
        sendJson(exchange, 200, { success: true, key })
      },
    },
    {
      method: 'DELETE',
      path: '/memory',
      handle: async (exchange) => {
        const revision = readRevision(exchange.request.url)
        const removed = (await fence.changeAll(revision, () => memory.reset())) ?? 0
        sendJson(exchange, 200, { success: true, removed })
      },
    },
  ]
}
