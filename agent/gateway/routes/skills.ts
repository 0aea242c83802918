import { readJson } from '../http/body.ts'
import { sendJson } from '../http/exchange.ts'
import type { Handler } from '../http/exchange.ts'
import { invalid, notFound } from '../http/problem.ts'
import { readRevision } from '../http/revision.ts'
import type { Route } from '../http/router.ts'
import { Fence } from '../workspace/fence.ts'
import { checkName } from '../workspace/names.ts'
import { documentLimit } from '../workspace/skills.ts'
import type { Skills } from '../workspace/skills.ts'

/** Installed skills: list, install, remove, switch. Changes with `?revision=` count in its order. */
export function skillRoutes(skills: Skills): Route[] {
  const fence = new Fence()
  const switchTo =
    (enabled: boolean): Handler =>
    async (exchange) => {
      const id = checkName('id', exchange.params[0])
      const switched = await fence.change(id, undefined, () => skills.setEnabled(id, enabled))
      if (switched !== true) throw notFound('Skill')
      sendJson(exchange, 200, { id, enabled })
    }

  return [
    {
      method: 'GET',
      path: '/skills',
      handle: async (exchange) => {
        const installed = await skills.list()
        const listed = installed.map(({ id, name, description, enabled }) => ({
          id,
          name,
          description,
          enabled,
        }))
        sendJson(exchange, 200, { skills: listed, count: listed.length })
      },
    },
    {
      method: 'PUT',
      path: '/skills/:id',
      handle: async (exchange) => {
        const { request } = exchange
        const id = checkName('id', exchange.params[0])
        const revision = readRevision(request.url)
        const { document, enabled = true } = await readJson(request)
        if (typeof document !== 'string' || document.length > documentLimit) {
          throw invalid(
            'document',
            `document must be a text of at most ${documentLimit} characters`,
          )
        }
        if (typeof enabled !== 'boolean') throw invalid('enabled', 'enabled must be true or false')
        await fence.change(id, revision, () => skills.install(id, document, enabled))
        sendJson(exchange, 200, { id, enabled })
      },
    },
    {
      method: 'DELETE',
      path: '/skills/:id',
      handle: async (exchange) => {
        const id = checkName('id', exchange.params[0])
        const revision = readRevision(exchange.request.url)
        const removed = await fence.change(id, revision, () => skills.remove(id))
        if (removed === false) throw notFound('Skill')
        sendJson(exchange, 200, { success: true, id })
      },
    },
    { method: 'POST', path: '/skills/:id/enable', handle: switchTo(true) },
    { method: 'POST', path: '/skills/:id/disable', handle: switchTo(false) },
  ]
}
