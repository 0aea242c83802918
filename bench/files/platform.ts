import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { agentRows } from '#shared/agents/record/rows.ts'
import { closeServer, listen } from '#stacks/local/server/listen.ts'
import { containerFiles } from '#tests/support/agents/container-files.ts'
import { type FilesOwner, startFiles } from '#tests/support/agents/files.ts'

/** The gateway's token of all agents. */
export const token = 'gateway-token-of-the-bench'

/** The maximum number of packs in one request for links. */
const linksAtOnce = 1000

/** An agent whose files are stored. */
export interface StoredAgent {
  /** Returns the environment of the agent's next container. @param disk its data root */
  nextStart(disk: string): Promise<Record<string, string>>
  /** Returns the links to all packs of the agent. */
  links(): Promise<string[]>
}

/** Starts the routes for containers and the local object store, which serves the links, in this process. */
export async function startPlatform() {
  const world = await startFiles()
  const calls = containerFiles(world)
  const server = createServer(getRequestListener(calls.fetch))
  const port = await listen(server, 0)

  function agentOf({ id: userId, agentId }: FilesOwner): StoredAgent {
    let generation = 1
    return {
      async nextStart(disk) {
        generation++
        await world.table.update(agentRows.key({ userId, agentId }), {
          set: {
            status: 'running',
            desired: 'running',
            generation,
            aiKeyHash: `hash-${generation}`,
          },
        })
        return {
          AGENT_ID: agentId,
          AGENT_GENERATION: String(generation),
          AGENT_FILES: '1',
          GATEWAY_TOKEN: token,
          GATEWAY_PORT: '0',
          AI_BASE_URL: `http://127.0.0.1:${port}/v1`,
          AI_API_KEY: await calls.keyOf(userId, agentId, generation),
          WORKSPACE_DIR: disk,
        }
      },
      async links() {
        const key = await calls.keyOf(userId, agentId, generation)
        const packs = await world.objects(agentId)
        const urls: string[] = []
        for (let at = 0; at < packs.length; at += linksAtOnce) {
          const body = { generation, packs: packs.slice(at, at + linksAtOnce) }
          const answer = await calls.ask(key, 'links', body)
          if (answer.status !== 200) throw new Error(JSON.stringify(answer))
          urls.push(...(answer.body.links as { url: string }[]).map(({ url }) => url))
        }
        return urls
      },
    }
  }

  return {
    newAgent: async () => agentOf(await world.newOwner('network')),
    async close() {
      await closeServer(server, 0)
      await world.close()
    },
  }
}
