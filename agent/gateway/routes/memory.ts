import { sendJson } from '../http/exchange.ts'
import { readJson } from '../http/body.ts'
import { invalid, notFound } from '../http/problem.ts'
import type { Route } from '../http/router.ts'
import { noteLimit } from '../workspace/memory.ts'
import type { Memory } from '../workspace/memory.ts'
import { checkName } from '../workspace/names.ts'

/** Memory notes: read all, write one, forget one, forget all. */
export function memoryRoutes(memory: Memory): Route[] {
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
        const key = checkName('key', exchange.params[0])
        const body = await readJson(exchange.request)
        const text = body['memory']
        if (typeof text !== 'string' || text.length > noteLimit) {
          throw invalid('memory', `memory must be a string of at most ${noteLimit} characters`)
        }
        await memory.write(key, text)
        sendJson(exchange, 200, { success: true, key })
      },
    },
    {
      method: 'DELETE',
      path: '/memory/:key',
      handle: async (exchange) => {
        const key = checkName('key', exchange.params[0])
        if (!(await memory.remove(key))) throw notFound('Memory')
        sendJson(exchange, 200, { success: true, key })
      },
    },
    {
      method: 'DELETE',
      path: '/memory',
      handle: async (exchange) =>
        sendJson(exchange, 200, { success: true, removed: await memory.reset() }),
    },
  ]
}
