import { sendJson } from '../http/exchange.ts'
import type { Handler } from '../http/exchange.ts'
import { notFound } from '../http/problem.ts'
import type { Route } from '../http/router.ts'
import { checkName } from '../workspace/names.ts'
import type { Skills } from '../workspace/skills.ts'

/** Installed skills: list, switch on, switch off. */
export function skillRoutes(skills: Skills): Route[] {
  const switchTo =
    (enabled: boolean): Handler =>
    async (exchange) => {
      const id = checkName('id', exchange.params[0])
      if (!(await skills.setEnabled(id, enabled))) throw notFound('Skill')
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
    { method: 'POST', path: '/skills/:id/enable', handle: switchTo(true) },
    { method: 'POST', path: '/skills/:id/disable', handle: switchTo(false) },
  ]
}
