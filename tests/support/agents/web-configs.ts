import { afterAll, beforeAll, beforeEach } from 'vitest'
import { stopAgent } from '#shared/agents/fleet/lifecycle/stop.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentConfigChange } from '../../../clients/typescript/index.ts'
import { startWebAgents, type WebAgents, type WebCall } from './web-agents.ts'

const pathOf = (agent: Agent) => `/api/agents/${agent.id}/config`

/** Provides the web's agents for a file of tests, with the steps that tests of configs share. */
export function useWebConfigs() {
  let web: WebAgents
  beforeAll(async () => {
    web = await startWebAgents()
  })
  afterAll(() => web.fleet.close())
  beforeEach(() => web.fleet.forget())

  return {
    get web() {
      return web
    },

    /** Puts a config as its owner. */
    put: (agent: Agent, config: object, given: WebCall & { query?: string } = {}) =>
      web.call('PUT', pathOf(agent) + (given.query ?? ''), {
        user: String(agent.userId),
        body: { config },
        ...given,
      }),

    /** Returns the config as its owner sees it. */
    shown: async (agent: Agent) =>
      (await web.call('GET', pathOf(agent), { user: String(agent.userId) })).body,

    running: async (config: AgentConfigChange = {}): Promise<Agent> =>
      web.fleet.untilRunning(await web.provisioned(await web.person(), config)),

    async stopped(config: AgentConfigChange = {}): Promise<Agent> {
      const agent = await web.provisioned(await web.person(), config)
      await stopAgent(web.fleet.services, { agent })
      web.fleet.forget()
      return web.fleet.row(agent)
    },
  }
}
